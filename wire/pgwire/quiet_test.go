package pgwire_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/wire"
)

// slowCommit makes COMMIT, and every INSERT that commits by itself, take its time
// at the end: a deferred trigger sleeps, and then waits for lock 7.
const slowCommit = `
CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_sleep(0.02);
	PERFORM pg_advisory_xact_lock_shared(7);
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION slow()`

// A statement that was forwarded before the kill still commits. Counted before
// Quiet it is not there (this is the control, and sure to show it: the commit
// waits for a lock that the test holds); counted after Quiet it is.
func TestCountBeforeQuietIsTooEarly(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, slowCommit)
	holder := connect(t, s.dsn)
	execOn(t, holder, "SELECT pg_advisory_lock(7)")
	commitAndKill(t, s, 1)
	if n := s.count(t); n != 0 {
		t.Errorf("%d rows while the commit waits for the lock", n)
	}
	if !alive(t, s) {
		t.Error("the backend of the killed worker has gone already")
	}
	execOn(t, holder, "SELECT pg_advisory_unlock(7)")
	s.quiet(t)
	if n := s.count(t); n != 1 || alive(t, s) {
		t.Errorf("%d rows, backend alive: %v", n, alive(t, s))
	}
}

// The same without a lock, again and again: COMMIT sleeps, the worker is killed
// meanwhile. After Quiet the count is final every time; how often a count before it
// was too early is for the reader only.
func TestCountAfterQuietIsFinal(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, slowCommit)
	const runs = 60
	early := 0
	for run := 1; run <= runs; run++ {
		commitAndKill(t, s, run)
		if s.count(t) < run {
			early++
		}
		s.quiet(t)
		if n := s.count(t); n != run || alive(t, s) {
			t.Fatalf("run %d: %d rows after Quiet, backend alive: %v", run, n, alive(t, s))
		}
		s.gate.Close()
		s.listen(t)
	}
	t.Logf("%d of %d counts before Quiet were too early", early, runs)
}

// commitAndKill shuts the gate, as a kill does, while COMMIT is under way.
func commitAndKill(t *testing.T, s *setup, id int) {
	t.Helper()
	s.Steps()
	conn := connect(t, s.proxied)
	execOn(t, conn, "BEGIN")
	execOn(t, conn, "INSERT INTO t VALUES ($1, 'a')", pgx.QueryExecModeExec, id)
	heard := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "COMMIT")
		heard <- err
	}()
	s.Wait(t, "COMMIT", wire.Forwarded)
	s.gate.Shut()
	if err := <-heard; err == nil || sqlState(err) != "" {
		t.Errorf("commit says %v", err)
	}
}

// alive says whether a backend of the proxy is still there.
func alive(t *testing.T, s *setup) (alive bool) {
	t.Helper()
	err := s.direct.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ANY($1))",
		pids(s)).Scan(&alive)
	if err != nil {
		t.Fatal(err)
	}
	return alive
}

func pids(s *setup) (all []int32) {
	for _, pid := range s.proxy.Backends() {
		all = append(all, int32(pid))
	}
	return all
}

// What a killed worker holds is let go by the time of Quiet: its locks, and its
// transaction, which is rolled back.
func TestQuietMeansRolledBack(t *testing.T) {
	s := start(t)
	for run := range 20 {
		conn := connect(t, s.proxied)
		execOn(t, conn, "BEGIN")
		execOn(t, conn, "INSERT INTO t VALUES (1, 'a')")
		execOn(t, conn, "SELECT pg_advisory_lock(8)")
		s.gate.Shut()
		s.quiet(t)
		var free bool
		if err := s.direct.QueryRow(t.Context(), "SELECT pg_try_advisory_lock(8)").Scan(&free); err != nil {
			t.Fatal(err)
		}
		execOn(t, s.direct, "SELECT pg_advisory_unlock(8)")
		if !free || alive(t, s) || s.count(t) != 0 {
			t.Fatalf("run %d: lock free %v, backend alive %v", run, free, alive(t, s))
		}
		s.listen(t)
	}
}
