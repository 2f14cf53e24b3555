package twiceproof

import (
	"context"
	"database/sql"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/lab/mariadb"
	"github.com/twiceproof/twiceproof/lab/postgres"
)

// server is one that a test may kill, fill or make read-only.
type server interface {
	DSN(database string) string
	Restart(ctx context.Context) error
	Stop() error
}

var ownServers = struct {
	sync.Mutex
	made map[Dialect]server
}{made: map[Dialect]server{}}

// ownServer is for the tests that disturb it; it ends with the process.
func ownServer(t *testing.T, d Dialect) server {
	t.Helper()
	sharedServer(t, databaseOf(d)) // which says what to do when the programs are missing
	ownServers.Lock()
	defer ownServers.Unlock()
	if s := ownServers.made[d]; s != nil {
		return s
	}
	var s server
	var err error
	if d == Postgres {
		s, err = postgres.Start(context.Background())
	} else {
		s, err = mariadb.Start(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	ownServers.made[d] = s
	return s
}

// onOwnServers runs a test on each of them, with a table of its own. The test's own
// connections are not kept: they would end with the server.
func onOwnServers(t *testing.T, test func(t *testing.T, r *rig, s server)) {
	t.Helper()
	t.Run("postgres", func(t *testing.T) {
		s := ownServer(t, Postgres)
		r := newRigAt(t, databaseOf(Postgres), s.DSN("postgres"), "records_"+newToken()[:8])
		r.plain.SetMaxIdleConns(-1)
		test(t, r, s)
	})
	t.Run("mysql", func(t *testing.T) {
		s := ownServer(t, MySQL)
		admin, err := sql.Open("mysql", s.DSN(""))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = admin.Close() }()
		if _, err := admin.ExecContext(context.Background(), "CREATE DATABASE IF NOT EXISTS jobs"); err != nil {
			t.Fatal(err)
		}
		dsn := s.DSN("jobs") + "&interpolateParams=true&clientFoundRows=true"
		r := newRigAt(t, databaseOf(MySQL), dsn, "records_"+newToken()[:8])
		r.plain.SetMaxIdleConns(-1)
		test(t, r, s)
	})
}

// The server is killed while the job acts, and is back a moment later: the claim is
// there, and the completion is sent until it is answered.
func TestServerRestartedDuringTheAct(t *testing.T) {
	onOwnServers(t, func(t *testing.T, r *rig, s server) {
		g := r.guard(holdJob())
		res := r.runWith(g, "k", func(ctx context.Context, op *Operation) error {
			err := r.till.charge(ctx, op)
			if err := s.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			return err
		})
		r.wantOutcome(res, Completed, true)
		r.wantEffects("k", 1)
		r.wantRecord("k", "state=completed completion=acted acts=1")

		// It is down when the act ends, and comes back later.
		var back sync.WaitGroup
		res = r.runWith(g, "later", func(ctx context.Context, op *Operation) error {
			down := make(chan struct{})
			back.Go(func() {
				close(down)
				if err := s.Restart(context.Background()); err != nil {
					t.Error(err)
				}
			})
			<-down
			return r.till.charge(ctx, op)
		})
		back.Wait()
		r.wantOutcome(res, Completed, true)
		r.wantEffects("later", 1)
	})
}

// An own row is rolled back with its server, and the redelivery does it.
func TestServerRestartedDuringAnOwnRow(t *testing.T) {
	onOwnServers(t, func(t *testing.T, r *rig, s server) {
		g := r.guard(ownRowJob())
		res, err := g.RunTx(context.Background(), delivery("k"), func(ctx context.Context, tx *sql.Tx, op *Operation) error {
			err := r.book(ctx, tx, op)
			if err := s.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			return err
		})
		if err == nil || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		r.wantBooked("k", 0, 0)
		r.wantOutcome(r.runTx(g, "k"), Completed, true)
		r.wantBooked("k", 1, 1)
	})
}

// A pool whose connections all ended with the server. Run sends its claim again; RunTx
// does the operation, or returns an error and the next delivery does it.
func TestServerRestartedBeforeTheClaim(t *testing.T) {
	onOwnServers(t, func(t *testing.T, r *rig, s server) {
		db := r.open()
		db.SetMaxIdleConns(8)
		idle := func() {
			var all []*sql.Conn
			for range 4 {
				conn, err := db.Conn(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, conn)
			}
			for _, conn := range all {
				_ = conn.Close()
			}
			if err := s.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		idle()
		r.wantOutcome(r.runWith(r.guardOn(db, holdJob()), "k", r.till.charge), Completed, true)
		r.wantEffects("k", 1)
		idle()
		g, tries := r.guardOn(db, ownRowJob()), 0
		for done := false; !done; tries++ {
			res, err := g.RunTx(context.Background(), delivery("row"), r.book)
			if done = err == nil && res.Outcome == Completed; !done && (res.Acknowledge() || tries > 10) {
				t.Fatalf("%+v, %v", res, err)
			}
		}
		t.Logf("an own row was done at delivery %d", tries)
		r.wantBooked("row", 1, 1)
	})
}

// readOnlyServer makes the whole server refuse what an ordinary account writes.
func readOnlyServer(t *testing.T, r *rig, on bool) {
	t.Helper()
	if r.d.dialect == MySQL {
		r.exec("SET GLOBAL read_only = " + map[bool]string{true: "1", false: "0"}[on])
		return
	}
	setting := map[bool]string{true: "on", false: "off"}[on]
	for _, s := range []string{"SET default_transaction_read_only = off", "ALTER SYSTEM SET default_transaction_read_only = " + setting, "SELECT pg_reload_conf()"} {
		r.exec(s)
	}
	for got := ""; got != setting; { // the reload comes a moment later
		db := r.open()
		got = show(t, &rig{plain: db}, "SHOW default_transaction_read_only")
		_ = db.Close()
	}
}

// A server that has become read-only, as after a failover: nothing is acted, the message
// stays, and what was claimed before is completed when it can be written again.
func TestReadOnlyServer(t *testing.T) {
	onOwnServers(t, func(t *testing.T, r *rig, s server) {
		r.plain.SetMaxOpenConns(1)
		db := r.open()
		if r.d.dialect == MySQL {
			r.exec("CREATE OR REPLACE USER ordinary@'127.0.0.1'")
			r.exec("GRANT ALL ON jobs.* TO ordinary@'127.0.0.1'")
			as := *r
			as.dsn = mysqlChanged(t, r.dsn, func(c *mysql.Config) { c.User = "ordinary" })
			db = as.open()
		}
		run := func(key string) (Result, error) {
			return r.guardOn(db, holdJob()).Run(context.Background(), delivery(key), r.till.charge)
		}
		runTx := func(key string) (Result, error) {
			return r.guardOn(db, ownRowJob()).RunTx(context.Background(), delivery(key), r.book)
		}
		if res, err := run("done before"); err != nil || res.Outcome != Completed || res.Repeat {
			t.Fatalf("%+v, %v", res, err)
		}
		readOnlyServer(t, r, true)
		if r.d.dialect == Postgres {
			db = r.open() // a session that has begun keeps its default until it has read the reload
		}
		for range 5 {
			for name, deliver := range map[string]func(string) (Result, error){"k": run, "row": runTx} {
				if res, err := deliver(name); err == nil || res.Acknowledge() {
					t.Errorf("%s: %+v, %v", name, res, err)
				}
			}
		}
		// A repeat is told nothing either: what looks is the claim, which writes.
		code := map[Dialect]string{Postgres: "25006", MySQL: "1290"}[r.d.dialect]
		for _, key := range []string{"k", "done before"} {
			res, err := run(key)
			r.wantSentAgain(code, r.wantCode(key, err, code), false, false)
			if res.Acknowledge() {
				t.Errorf("%s: %+v", key, res)
			}
		}
		r.wantEffects("k", 0)
		if r.exists("k") {
			t.Error("a record was made")
		}
		r.wantBooked("row", 0, 0)
		readOnlyServer(t, r, false)
		for name, deliver := range map[string]func(string) (Result, error){"k": run, "row": runTx} {
			if res, err := deliver(name); err != nil || res.Outcome != Completed {
				t.Errorf("%s, once it can be written again: %+v, %v", name, res, err)
			}
		}
		if res, err := run("done before"); err != nil || res.Outcome != Completed || !res.Repeat {
			t.Errorf("a repeat, once it can be written again: %+v, %v", res, err)
		}
		r.wantEffects("k", 1)
		r.wantEffects("done before", 1)
		r.wantBooked("row", 1, 1)
	})
}

// A server that has no connection left is asked again: 1040. PostgreSQL's is in TestPostgresErrors.
func TestTooManyConnections(t *testing.T) {
	s := ownServer(t, MySQL)
	admin, err := sql.Open("mysql", s.DSN("mysql"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	admin.SetMaxOpenConns(1)
	set := func(n string) {
		if _, err := admin.ExecContext(context.Background(), "SET GLOBAL max_connections = "+n); err != nil {
			t.Fatal(err)
		}
	}
	set("10")
	defer set("200")
	if _, err := admin.ExecContext(context.Background(), "CREATE OR REPLACE USER ordinary@'127.0.0.1'"); err != nil {
		t.Fatal(err)
	}
	dsn := mysqlChanged(t, s.DSN(""), func(c *mysql.Config) { c.User = "ordinary" })
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for range 20 {
		conn, err := db.Conn(context.Background())
		if err == nil {
			t.Cleanup(func() { _ = conn.Close() })
			continue
		}
		r := &rig{t: t}
		r.wantSentAgain("1040", r.wantCode("1040", err, "1040"), true, false)
		return
	}
	t.Error("20 connections of 10")
}
