package replay

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/records"
)

// startTestMySQL is the server of a replay with one case's database.
func startTestMySQL(t *testing.T) *world {
	t.Helper()
	schema, err := dialect.Load("mysql", "")
	if err != nil {
		t.Fatal(err)
	}
	spec := &jobfile.Replay{Database: jobfile.Database{Kind: jobfile.MySQL}}
	l := &lab{Request: Request{Spec: spec, Table: dialect.Table}, schema: schema.Schema}
	t.Cleanup(l.close)
	if err := l.startDatabase(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := &world{lab: l, history: newHistory()}
	own := l.newDatabase(t.Context(), "")
	if w.dsn, w.address = own.dsn, own.address; own.err != nil {
		t.Fatal(own.err)
	}
	if w.db, err = records.Open("mysql", w.dsn, l.Table); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.db.Close() })
	return w
}

// asWorker is a new connection to the address that a worker is told.
func asWorker(t *testing.T, w *world) *sql.DB {
	t.Helper()
	u, err := url.Parse(w.address)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open(u.Scheme, u.User.String()+"@tcp("+u.Host+")"+u.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// A worker may do everything in its case's database, and nothing outside.
func TestMySQLWorkersAccount(t *testing.T) {
	w := startTestMySQL(t)
	db := asWorker(t, w)
	for _, statement := range []string{"CREATE TABLE charges (id INT)", "DELETE FROM idempotency_records", "SET SESSION wait_timeout = 9", "DROP TABLE charges"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for _, statement := range []string{"DELETE FROM twiceproof_trial.idempotency_records", "SET GLOBAL wait_timeout = 9", "CREATE DATABASE another"} {
		if _, err := db.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: was done", statement)
		}
	}
	if !strings.Contains(w.address, "@127.0.0.1:") {
		t.Errorf("address %s", w.address)
	}
	if v := w.platform()["mysql"]; v == "" || v == "unknown" {
		t.Errorf("version %q", v)
	}
}

// The workers' clock is ahead and so is the reader's, which goes on; both until it is
// set back.
func TestMySQLClockAhead(t *testing.T) {
	w := startTestMySQL(t)
	setBack, err := w.setClockAhead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const claim = "INSERT INTO idempotency_records (job_type, operation_key, state, claim_token, claimed_at, lease_ms, first_claimed_at) " +
		"VALUES ('charge', 'k', 'claimed', REPEAT('0', 32), UTC_TIMESTAMP(6), 60000, UTC_TIMESTAMP(6))"
	if _, err := asWorker(t, w).ExecContext(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	if ahead := aheadOf(t, w); ahead < clockAhead-time.Hour || ahead > clockAhead+time.Hour {
		t.Errorf("a worker's clock is ahead by %s", ahead)
	}
	first := claimAge(t, w)
	if first > time.Hour || first < -time.Hour {
		t.Errorf("by the reader's clock a new claim is %s old", first)
	}
	limited, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for claimAge(t, w) <= first {
		if limited.Err() != nil {
			t.Fatal("the reader's clock stands still")
		}
	}
	setBack()
	if ahead := aheadOf(t, w); ahead > time.Hour {
		t.Errorf("a worker's clock is ahead by %s, afterwards", ahead)
	}
}

// aheadOf is by how much a new connection of a worker is ahead of this process.
func aheadOf(t *testing.T, w *world) time.Duration {
	t.Helper()
	var seconds float64
	if err := asWorker(t, w).QueryRowContext(t.Context(), "SELECT UNIX_TIMESTAMP(NOW(6))").Scan(&seconds); err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds-float64(time.Now().Unix())) * time.Second
}

func claimAge(t *testing.T, w *world) time.Duration {
	t.Helper()
	r, err := w.db.Read(t.Context(), "charge", "k")
	if err != nil || r.Rows != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	return r.ClaimAge
}
