package admin

import (
	"strings"
	"testing"
	"time"
)

// A walk reads each record a few times at most, however many there are. MariaDB counts
// what it reads; a page that it cannot see the end of is read to the end of the table.
func TestWalksAreLinear(t *testing.T) {
	const n = 20000
	r := newRig(t, databases[1])
	r.mix(n)
	r.db.SetMaxOpenConns(1) // the counts are the connection's
	reads := func(walk func() error) (rows int64) {
		t.Helper()
		r.exec("FLUSH STATUS")
		if err := walk(); err != nil {
			t.Fatal(err)
		}
		statement := "SELECT CAST(SUM(variable_value) AS SIGNED) FROM information_schema.session_status WHERE variable_name IN ('Handler_read_next', 'Handler_read_key', 'Handler_read_first')"
		if err := r.db.QueryRowContext(t.Context(), statement).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	held := func() error { _, err := r.Held(t.Context(), Walk{}); return err }
	for name, walk := range map[string]func() error{
		"held":   held,
		"status": func() error { _, err := r.Status(t.Context(), Walk{}, nil); return err },
		"prune":  func() error { _, err := r.Prune(t.Context(), PruneOptions{OlderThan: time.Hour}); return err },
	} {
		if rows := reads(walk); rows < n || rows > 4*n {
			t.Errorf("%s reads %d rows of %d", name, rows, n)
		}
	}
	// The control: pages without their end.
	r.sql.Held = strings.Replace(r.sql.Held, "operation_key <= ?3", "operation_key <= CONCAT(?3, operation_key)", 1)
	if rows := reads(held); rows <= 4*n {
		t.Errorf("without their end the pages read %d rows only", rows)
	}
}
