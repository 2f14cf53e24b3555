package mysqlwire_test

import (
	"testing"

	"github.com/twiceproof/twiceproof/wire/mysqlwire"
)

func TestDurable(t *testing.T) {
	for status, want := range map[string]bool{
		"INSERT 1 I":                       true,
		"INSERT 1 T":                       false,
		"INSERT 1 T; COMMIT I":             true,
		"COMMIT T":                         true, // and chain
		"ROLLBACK I":                       false,
		"ROLLBACK T":                       false, // to a savepoint
		"BEGIN T":                          false,
		"ERROR 1062 23000":                 false,
		"INSERT 1 I; ERROR 1062 23000":     true,
		"BEGIN T; INSERT 1 T; ROLLBACK I":  false,
		"INSERT 1 I (3 times)":             true,
		"INSERT 1 T (3 times)":             false,
		"OK":                               false, // a ping
		"INSERT 1 T; OK I":                 true,  // the name of the last one was not kept
		"COMMIT T; BEGIN T":                true,
		"":                                 false, // prepared
		"SELECT 2 T; ERROR 1213 40001":     false,
		"BEGIN T; CREATE I; INSERT 1 I":    true,
		"CALL 3 T; CALL 1 T; REPLACE 2 I":  true,
		"BEGIN T; DELETE 4 T; SAVEPOINT T": false,
	} {
		if got := mysqlwire.Durable(status); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
}

// What is called durable is what another connection sees, and nothing else is.
func TestDurableIsWhatOthersSee(t *testing.T) {
	s := start(t)
	conn := connect(t, s.proxied)
	const one, two, bad = "INSERT INTO t VALUES (1, '');", "INSERT INTO t VALUES (2, '');", "INSERT INTO t VALUES (NULL, '');"
	for script, want := range map[string]string{
		one:                                 "INSERT 1 I",
		one + bad:                           "INSERT 1 I; ERROR 1048 23000",
		bad + one:                           "ERROR 1048 23000",
		"BEGIN;" + one:                      "BEGIN T; INSERT 1 T",
		"BEGIN;" + one + bad:                "BEGIN T; INSERT 1 T; ERROR 1048 23000",
		"BEGIN;" + one + "COMMIT":           "BEGIN T; INSERT 1 T; COMMIT I",
		"BEGIN;" + one + "ROLLBACK":         "BEGIN T; INSERT 1 T; ROLLBACK I",
		"BEGIN;" + one + "COMMIT;" + bad:    "BEGIN T; INSERT 1 T; COMMIT I; ERROR 1048 23000",
		"BEGIN;" + one + "COMMIT AND CHAIN": "BEGIN T; INSERT 1 T; COMMIT T",
		"BEGIN;" + one + "SAVEPOINT s;" + two + "ROLLBACK TO s":  "BEGIN T; INSERT 1 T; SAVEPOINT T; INSERT 1 T; ROLLBACK T",
		"BEGIN;" + one + "CREATE TABLE IF NOT EXISTS u (id int)": "BEGIN T; INSERT 1 T; CREATE I",
		"SET autocommit = 0;" + one:                              "SET I; INSERT 1 T",
		"BEGIN;" + one + "SET autocommit = 1":                    "BEGIN T; INSERT 1 T; SET T",
		"SET autocommit = 0;" + one + "SET autocommit = 1":       "SET I; INSERT 1 T; COMMIT I; SET I",
		"SET autocommit = 0;" + one + "BEGIN":                    "SET I; INSERT 1 T; COMMIT T; BEGIN T",
		"BEGIN;" + one + "START TRANSACTION":                     "BEGIN T; INSERT 1 T; COMMIT T; START T",
	} {
		execOn(t, s.direct, "DELETE FROM t")
		s.Steps()
		_, err := conn.ExecContext(t.Context(), script)
		seen := s.Events()
		status := seen[len(seen)-1].Status
		durable := mysqlwire.Durable(status)
		changed := s.count(t) > 0
		if script == "SET autocommit = 0;"+one {
			changed = durable // a SET alone counts, too
		}
		if status != want || durable != changed {
			t.Errorf("%s: status %q, want %q; durable %v, rows %d, %v", script, status, want, durable, s.count(t), err)
		}
		execOn(t, conn, "ROLLBACK; SET autocommit = 1")
	}
}
