package mariadb

import (
	"testing"
)

func TestDatabases(t *testing.T) {
	s, ctx := shared(t), t.Context()
	const name = "with `quote` and ünïcode"
	if err := s.CreateDatabase(ctx, name); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, s.DSN(name))
	run(t, conn, "CREATE TABLE effects (what TEXT, seen DATETIME)", "INSERT INTO effects VALUES ('seen', now())")
	if got := query(t, connect(t, s.DSN(name)), "SELECT what FROM effects"); got != "seen" {
		t.Errorf("another connection reads %q", got)
	}

	// DROP DATABASE alone would wait for this transaction.
	run(t, conn, "BEGIN", "INSERT INTO effects VALUES ('held', now())")
	if err := s.DropDatabase(ctx, name); err != nil {
		t.Fatal(err)
	}
	if got := query(t, connect(t, s.DSN("")), "SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'with%'"); got != "0" {
		t.Errorf("%s databases are left", got)
	}
	if err := s.DropDatabase(ctx, name); err == nil {
		t.Error("dropping a database that is not there went unnoticed")
	}
}
