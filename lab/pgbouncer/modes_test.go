package pgbouncer

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/lab/internal/process/processtest"
)

// With one connection to the server, what two clients share tells the mode.
func TestModes(t *testing.T) {
	const backend = "SELECT pg_backend_pid()"
	t.Run("transaction", func(t *testing.T) {
		s := own(t, "transaction", 1)
		first, second := connect(t, s.DSN("postgres")), connect(t, s.DSN("postgres"))
		if a, b := query[int](t, first, backend), query[int](t, second, backend); a != b {
			t.Errorf("two clients had backends %d and %d, want one", a, b)
		}
		run(t, first, "BEGIN")
		assertWaits(t, s, second, func() { run(t, first, "COMMIT") })
	})
	t.Run("session", func(t *testing.T) {
		s := own(t, "session", 1)
		first, second := connect(t, s.DSN("postgres")), connect(t, s.DSN("postgres"))
		query[int](t, first, backend)
		assertWaits(t, s, second, func() { _ = first.Close(t.Context()) })
	})
	t.Run("statement", func(t *testing.T) {
		conn := connect(t, own(t, "statement", 1).DSN("postgres"))
		if _, err := conn.Exec(t.Context(), "BEGIN"); err == nil {
			t.Error("a transaction was let through")
		}
	})
	t.Run("two connections", func(t *testing.T) {
		dsn := own(t, "transaction", 2).DSN("postgres")
		first, second := connect(t, dsn), connect(t, dsn)
		run(t, first, "BEGIN")
		if a, b := query[int](t, first, backend), query[int](t, second, backend); a == b {
			t.Errorf("a transaction and another client share backend %d", a)
		}
	})
}

// assertWaits checks that a client gets the only connection no sooner than the
// other lets go of it.
func assertWaits(t *testing.T, s *Server, conn *pgx.Conn, letGo func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "SELECT 1")
		done <- err
	}()
	console := connect(t, s.DSN("pgbouncer"))
	processtest.Eventually(t, "it does not wait for the only connection", func() bool { return waiting(t, console) == "1" })
	letGo()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// waiting is how many clients of the database wait for a connection.
func waiting(t *testing.T, console *pgx.Conn) string {
	t.Helper()
	results, err := console.PgConn().Exec(t.Context(), "SHOW POOLS").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range results[0].Rows {
		if string(row[0]) != "postgres" {
			continue
		}
		for i, field := range results[0].FieldDescriptions {
			if field.Name == "cl_waiting" {
				return string(row[i])
			}
		}
	}
	return ""
}
