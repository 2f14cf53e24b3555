package main

import (
	"bytes"
	"database/sql"
	"strings"
	"testing"
)

// The application's own table on a server, by the address that a person writes: repeats
// are found, a table with one row for each reference says that it cannot show any, and
// the query that is printed runs there.
func TestRepeatsOnServers(t *testing.T) {
	for _, s := range peopleServers(t) {
		t.Run(s.dialect, func(t *testing.T) {
			db, err := sql.Open(s.driver, s.dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, statement := range []string{
				"CREATE TABLE charges (order_id varchar(40), created_at timestamp(6) NULL)", "CREATE TABLE orders (order_id varchar(40) PRIMARY KEY, created_at timestamp(6) NULL)",
				"INSERT INTO charges VALUES ('ord-7', '2026-01-02 03:04:05'), ('ord-8', '2026-01-02 03:04:06'), ('ord-7', '2026-01-02 03:04:35')", "INSERT INTO orders SELECT DISTINCT order_id, " + s.now + " FROM charges",
			} {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			columns := []string{"--reference", "order_id", "--time", "created_at"}
			do := func(want int, args ...string) string {
				t.Helper()
				var out, said bytes.Buffer
				if status := run(t.Context(), append(append([]string{"repeats"}, args...), columns...), stdio{strings.NewReader(""), &out, &said}); status != want {
					t.Fatalf("%q: status %d, want %d; it said\n%s", args, status, want, said.String())
				}
				return out.String()
			}
			if out := do(statusFound, "--dsn", s.address, "--table", "charges", "--show"); !strings.Contains(out, "1 repeat\n") || !strings.Contains(out, "ord-7: 2 events") {
				t.Error(out)
			}
			if out := do(statusUnknown, "--dsn", s.address, "--table", "orders"); !strings.Contains(out, "this source cannot show repeats") {
				t.Error(out)
			}
			rows, err := db.Query(do(statusGood, "--query", "--dialect", s.dialect, "--table", "charges"))
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			if !rows.Next() || rows.Next() || rows.Err() != nil {
				t.Errorf("the query does not find one repeat: %v", rows.Err())
			}
		})
	}
}
