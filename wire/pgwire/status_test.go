package pgwire_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/twiceproof/twiceproof/wire/pgwire"
)

func TestDurable(t *testing.T) {
	for status, want := range map[string]bool{
		"INSERT 0 1 I":              true,
		"INSERT 0 1 T":              false,
		"INSERT 0 1; COMMIT I":      true,
		"COMMIT I":                  true,
		"COMMIT T":                  true, // and chain
		"ROLLBACK I":                false,
		"ROLLBACK T":                false, // to a savepoint
		"BEGIN T":                   false,
		"ERROR 23505 I":             false,
		"ERROR 23505 E":             false,
		"INSERT 0 1; ERROR 23505 I": false,
		"BEGIN; INSERT 0 1; COMMIT; ERROR 23505 I":  true,
		"BEGIN; INSERT 0 1; ROLLBACK I":             false,
		"BEGIN; INSERT 0 1; ROLLBACK; INSERT 0 1 I": true,
		"INSERT 0 1 (3 times) I":                    true,
		"COMMIT (2 times) I":                        true,
		"COPY 3 I":                                  true,
		"CopyInResponse":                            false,
		"INSERT 0 1":                                false, // a Flush
		"INSERT 0 1; COMMIT":                        true,
		"PREPARE TRANSACTION I":                     true,
		"COMMIT PREPARED I":                         true,
		"ROLLBACK PREPARED I":                       true,
		"FATAL 57P01":                               false,
		"I":                                         false, // nothing was executed
		"":                                          false,
	} {
		if got := pgwire.Durable(status); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
		if got := pgwire.ParseStatus(status).String(); got != status {
			t.Errorf("%q is read as %q", status, got)
		}
	}
}

func TestStatusString(t *testing.T) {
	s := pgwire.Status{Results: []string{"INSERT 0 1", "INSERT 0 1", "COMMIT"}, Ready: 'I'}
	if got := s.String(); got != "INSERT 0 1 (2 times); COMMIT I" {
		t.Error(got)
	}
}

// What is called durable is what another connection sees, and nothing else is.
func TestDurableIsWhatOthersSee(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, `CREATE TABLE late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES (1)`)
	f := raw(t, s.proxied)
	const one, two, bad = "INSERT INTO t VALUES (1);", "INSERT INTO t VALUES (2);", "SELECT 1/0;"
	for script, want := range map[string]string{
		one:                                    "INSERT 0 1 I",
		one + bad:                              "INSERT 0 1; ERROR 22012 I",
		one + "INSERT INTO late VALUES (1)":    "INSERT 0 1; ERROR 23505 I",
		"BEGIN;" + one:                         "BEGIN; INSERT 0 1 T",
		"BEGIN;" + one + bad:                   "BEGIN; INSERT 0 1; ERROR 22012 E",
		"BEGIN;" + one + "END":                 "BEGIN; INSERT 0 1; COMMIT I",
		"BEGIN;" + one + "ABORT":               "BEGIN; INSERT 0 1; ROLLBACK I",
		"BEGIN;" + one + "COMMIT;" + bad:       "BEGIN; INSERT 0 1; COMMIT; ERROR 22012 I",
		"BEGIN;" + one + "COMMIT AND CHAIN":    "BEGIN; INSERT 0 1; COMMIT T",
		"BEGIN;" + one + "COMMIT;BEGIN;" + two: "BEGIN; INSERT 0 1; COMMIT; BEGIN; INSERT 0 1 T",
		one + "COMMIT;" + bad:                  "INSERT 0 1; COMMIT; ERROR 22012 I",
		one + "ROLLBACK":                       "INSERT 0 1; ROLLBACK I",
		one + "ROLLBACK;" + two:                "INSERT 0 1; ROLLBACK; INSERT 0 1 I",
		one + "BEGIN;" + two:                   "INSERT 0 1; BEGIN; INSERT 0 1 T",
		one + "BEGIN;" + two + "COMMIT":        "INSERT 0 1; BEGIN; INSERT 0 1; COMMIT I",
		"BEGIN;" + one + "SAVEPOINT s;" + two + "ROLLBACK TO s": "BEGIN; INSERT 0 1; SAVEPOINT; INSERT 0 1; ROLLBACK T",
	} {
		s.wantDurable(t, script, want, func() { f.until(&pgproto3.Query{String: script}) }, f.rollback)
	}
}

// In a pipeline the tag comes before the commit, and the commit may fail.
func TestDurableInAPipeline(t *testing.T) {
	s := start(t)
	execOn(t, s.direct, `CREATE TABLE late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO late VALUES (1)`)
	f := raw(t, s.proxied)
	const one, late = "INSERT INTO t VALUES (1)", "INSERT INTO late VALUES (1)"
	for _, c := range []struct {
		statements []string
		want       string
	}{
		{[]string{one}, "INSERT 0 1 I"},
		{[]string{one, late}, "INSERT 0 1 (2 times); ERROR 23505 I"},
		{[]string{"BEGIN", one, "COMMIT"}, "BEGIN; INSERT 0 1; COMMIT I"},
		{[]string{"BEGIN", one, "COMMIT", late}, "BEGIN; INSERT 0 1; COMMIT; INSERT 0 1; ERROR 23505 I"},
		{[]string{"BEGIN", one, late, "COMMIT"}, "BEGIN; INSERT 0 1 (2 times); ERROR 23505 I"},
	} {
		var all []pgproto3.FrontendMessage
		for _, sql := range c.statements {
			all = append(all, &pgproto3.Parse{Query: sql}, &pgproto3.Bind{}, &pgproto3.Execute{})
		}
		s.wantDurable(t, c.want, c.want, func() { f.until(append(all, &pgproto3.Sync{})...) }, f.rollback)
	}
}

// wantDurable compares the status of a step, and what it says, with what the
// direct connection sees then.
func (s *setup) wantDurable(t *testing.T, name, want string, step, rollback func()) {
	t.Helper()
	execOn(t, s.direct, "DELETE FROM t")
	s.Steps()
	step()
	seen := s.Events()
	status := seen[len(seen)-1].Status
	if durable := pgwire.Durable(status); status != want || durable != (s.count(t) > 0) {
		t.Errorf("%s: status %q, want %q; durable %v, rows %d", name, status, want, durable, s.count(t))
	}
	rollback()
}
