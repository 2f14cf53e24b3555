package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestDatabases(t *testing.T) {
	s, ctx := shared(t), t.Context()
	const original = `with "quote" and ünïcode`
	if err := s.CreateDatabase(ctx, original, ""); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, s.DSN(original))
	if _, err := conn.Exec(ctx, "CREATE TABLE effects AS SELECT 'seen' AS what"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(ctx); err != nil {
		t.Fatal(err)
	}

	if err := s.CreateDatabase(ctx, "copy", original); err != nil {
		t.Fatal(err)
	}
	if got := query(t, connect(t, s.DSN("copy")), "SELECT what FROM effects"); got != "seen" {
		t.Errorf("the copy holds %q", got)
	}
	for _, name := range []string{"copy", original} { // the copy has a connection open
		if err := s.DropDatabase(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if conn, err := pgx.Connect(ctx, s.DSN("copy")); err == nil {
		_ = conn.Close(ctx)
		t.Error("the dropped database still takes connections")
	}
	if err := s.DropDatabase(ctx, "copy"); err == nil {
		t.Error("dropping a database that is not there went unnoticed")
	}
}
