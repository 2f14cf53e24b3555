package guardpgx

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/twiceproof/twiceproof"
)

// What everything here rests on, byte by byte: the server leaves out what follows a
// statement that failed, up to the Sync. After the Sync it would run it.
func TestServerLeavesOutWhatFollowsAFailure(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeExec, 1)
	insert := "INSERT INTO " + r.effects + " (what) VALUES ('k')"
	extended := func(texts ...string) (messages []pgproto3.FrontendMessage) {
		for _, text := range texts {
			messages = append(messages, &pgproto3.Parse{Query: text}, &pgproto3.Bind{}, &pgproto3.Execute{})
		}
		return append(messages, &pgproto3.Sync{})
	}
	for name, c := range map[string]struct {
		before  []string
		send    []pgproto3.FrontendMessage
		want    []string
		effects int
	}{
		"one pipeline": {[]string{"BEGIN", insert}, extended("SELECT 1/0", "COMMIT"), []string{"22012", "E"}, 0},
		"simple":       {[]string{"BEGIN", insert}, []pgproto3.FrontendMessage{&pgproto3.Query{String: "SELECT 1/0;COMMIT"}}, []string{"22012", "E"}, 0},
		// The transaction has failed before.
		"in error":     {[]string{"BEGIN", insert, "SELECT 1/0"}, extended("SELECT 1", "COMMIT"), []string{"25P02", "E"}, 0},
		"COMMIT alone": {[]string{"BEGIN", insert, "SELECT 1/0"}, extended("COMMIT"), []string{"ROLLBACK", "I"}, 0},
		// The body has committed: what the pipeline itself did is undone.
		"committed":        {[]string{"BEGIN", insert, "COMMIT"}, extended(insert, "SELECT 1/0", "COMMIT"), []string{"INSERT 0 1", "22012", "I"}, 1},
		"committed, alone": {[]string{"BEGIN", insert, "COMMIT"}, extended("COMMIT"), []string{"COMMIT", "I"}, 1},
		// Two Syncs: COMMIT is run, and says ROLLBACK.
		"two pipelines": {[]string{"BEGIN", insert}, append(extended("SELECT 1/0"), extended("COMMIT")...), []string{"22012", "E", "ROLLBACK", "I"}, 0},
		"sound":         {[]string{"BEGIN", insert}, extended("SELECT 1", "COMMIT"), []string{"SELECT 1", "COMMIT", "I"}, 1},
	} {
		r.exec(r.plain, "TRUNCATE "+r.effects)
		if got := r.answers(c.before, c.send); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if n := r.count("SELECT count(*) FROM " + r.effects); n != c.effects {
			t.Errorf("%s: %d rows, want %d", name, n, c.effects)
		}
	}
}

// answers sends messages over a connection of its own and tells the tags, the codes
// of errors, and the states.
func (r *rig) answers(before []string, send []pgproto3.FrontendMessage) (told []string) {
	r.t.Helper()
	conn, err := pgconn.Connect(context.Background(), sharedDSN(r.t))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, text := range before {
		_, _ = conn.Exec(context.Background(), text).ReadAll()
	}
	ready := 0
	for _, m := range send {
		conn.Frontend().Send(m)
		switch m.(type) {
		case *pgproto3.Sync, *pgproto3.Query:
			ready++
		}
	}
	if err := conn.Frontend().Flush(); err != nil {
		r.t.Fatal(err)
	}
	for ready > 0 {
		m, err := conn.Frontend().Receive()
		if err != nil {
			r.t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.CommandComplete:
			told = append(told, string(m.CommandTag))
		case *pgproto3.ErrorResponse:
			told = append(told, m.Code)
		case *pgproto3.ReadyForQuery:
			told = append(told, string(m.TxStatus))
			ready--
		}
	}
	return told
}

// The connection is lost around COMMIT, in each place. Whether it was done cannot
// be told, so nothing is acknowledged, and a redelivery finds out.
func TestLostCommit(t *testing.T) {
	for name, c := range map[string]struct {
		cut  cut
		done bool
	}{"before": {beforeRequest, false}, "after": {afterReply, true}, "after the tag": {afterTag, true}} {
		t.Run(name, func(t *testing.T) {
			onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
				if mode == pgx.QueryExecModeDescribeExec {
					t.Skip("the next request only describes")
				}
				r := newRig(t, mode, 1)
				r.run("warm", r.write, twiceproof.Completed) // the texts are known from now on
				res, err := r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
					defer r.tap.arm(c.cut)
					return r.write(ctx, tx, op)
				})
				if err == nil || errors.Is(err, twiceproof.ErrNotCommitted) || res.Acknowledge() || res.Outcome != "" {
					t.Errorf("%+v, %v", res, err)
				}
				if r.tap.cuts.Load() != 1 {
					t.Fatal("nothing was cut")
				}
				if n := r.pool.Stat().IdleConns(); n != 0 {
					t.Errorf("%d connections went back to the pool, want none", n)
				}
				r.redeliver("k", c.done)
			})
		})
	}
}

// redeliver delivers until no earlier transaction is in the way.
func (r *rig) redeliver(key string, done bool) {
	r.t.Helper()
	for {
		res, err := r.deliver(key, r.write)
		if err != nil {
			r.t.Fatal(err)
		}
		if res.Outcome == twiceproof.Live { // the server has not yet seen that the connection is gone
			continue
		}
		if res.Outcome != twiceproof.Completed || res.Repeat != done {
			r.t.Errorf("%+v, want a repeat: %t", res, done)
		}
		r.check(key, 1, "completed")
		return
	}
}

// Losing the claim's round trip claims nothing.
func TestLostClaim(t *testing.T) {
	for _, c := range []cut{beforeRequest, afterReply, afterTag} {
		onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
			r := newRig(t, mode, 1)
			r.run("warm", r.write, twiceproof.Completed)
			r.tap.arm(c)
			res, err := r.deliver("k", func(context.Context, pgx.Tx, *twiceproof.Operation) error {
				t.Error("acted")
				return nil
			})
			if err == nil || res.Acknowledge() || r.tap.cuts.Load() != 1 {
				t.Errorf("%+v, %v", res, err)
			}
			r.redeliver("k", false)
		})
	}
}

// A server that ends the connection while the body is elsewhere.
func TestTerminated(t *testing.T) {
	onEachMode(t, func(t *testing.T, mode pgx.QueryExecMode) {
		r := newRig(t, mode, 1)
		res, err := r.deliver("k", func(ctx context.Context, tx pgx.Tx, op *twiceproof.Operation) error {
			if err := r.write(ctx, tx, op); err != nil {
				return err
			}
			r.exec(r.plain, "SELECT pg_terminate_backend($1::int, 60000)", tx.Conn().PgConn().PID())
			return nil
		})
		if err == nil || res.Acknowledge() {
			t.Errorf("%+v, %v", res, err)
		}
		r.check("k", 0, "")
		r.redeliver("k", false)
	})
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		severity, code string
		want           bool
	}{
		{"ERROR", "22012", true}, {"ERROR", "40001", true}, {"ERROR", "57014", true},
		{"FATAL", "57P01", false}, {"FATAL", "08P01", false}, {"PANIC", "XX000", false}, {"ERROR", "08006", false}, {"", "", false},
	} {
		if got := refused(&pgconn.PgError{SeverityUnlocalized: c.severity, Code: c.code}); got != c.want {
			t.Errorf("%s %s: %t", c.severity, c.code, got)
		}
	}
	if refused(errors.New("connection reset")) {
		t.Error("no answer taken for one")
	}
}

// Anything but COMMIT in an idle connection is no proof.
func TestProved(t *testing.T) {
	r := newRig(t, pgx.QueryExecModeExec, 1)
	for _, c := range []struct {
		tag              string
		status           byte
		proved, excluded bool
	}{
		{"COMMIT", 'I', true, false}, {"COMMIT", 'T', false, false}, {"COMMIT", 'E', false, false},
		{"ROLLBACK", 'I', false, true}, {"", 'I', false, false}, {"SELECT 1", 'I', false, false},
	} {
		conn, err := r.pool.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		x := &transaction{pool: r.pool, conn: conn}
		err = x.proved(context.Background(), c.tag, c.status)
		if (err == nil) != c.proved || errors.Is(err, twiceproof.ErrNotCommitted) != c.excluded {
			t.Errorf("%q in %q: %v", c.tag, c.status, err)
		}
		if doubt := !c.proved && !c.excluded; doubt != (x.conn != nil && x.conn.Conn().IsClosed()) {
			t.Errorf("%q in %q: closed %t, want %t", c.tag, c.status, !doubt, doubt)
		}
		x.Rollback(context.Background())
	}
}
