package main

import (
	"database/sql"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/testdb"
)

// peopleServer is a database on a server, with its address as a person writes it.
type peopleServer struct{ dialect, driver, dsn, address, token, now string }

func peopleServers(t *testing.T) []peopleServer {
	t.Helper()
	schema := func(name string) string {
		s, err := dialect.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		return s.Schema
	}
	postgres, mariadb := testdb.Postgres(t, schema("postgres")), testdb.MySQL(t, schema("mysql"))
	c, err := mysql.ParseDSN(mariadb)
	if err != nil {
		t.Fatal(err)
	}
	address := url.URL{Scheme: "mysql", User: url.UserPassword(c.User, c.Passwd), Host: c.Addr, Path: "/" + c.DBName, RawQuery: "charset=utf8mb4&pool=5"}
	if c.Net == "unix" {
		address.Host, address.RawQuery = "", url.Values{"socket": {c.Addr}}.Encode()
	}
	return []peopleServer{
		{"postgres", "pgx", postgres, postgres, "gen_random_uuid()", "now()"},
		{"mysql", "mysql", mariadb, address.String(), "MD5(RAND())", "UTC_TIMESTAMP(6)"},
	}
}

// The whole way on a server: what is held, the decision on it, what is told then, and
// old records deleted.
func TestPeopleOnServers(t *testing.T) {
	for _, s := range peopleServers(t) {
		t.Run(s.dialect, func(t *testing.T) {
			db, err := sql.Open(s.driver, s.dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, row := range []string{
				"'held', NULL, NULL, " + s.now + ", 'unknown_outcome', 'k 1'", "'held', NULL, NULL, " + s.now + ", 'max_acts', 'k 2'",
				"'completed', " + s.now + " - INTERVAL '40' DAY, 'acted', NULL, NULL, 'old'", "'completed', " + s.now + ", 'acted', NULL, NULL, 'new'",
			} {
				if _, err := db.Exec("INSERT INTO idempotency_records (claim_token, job_type, claimed_at, lease_ms, first_claimed_at, state, completed_at, completion, held_at, hold_reason, operation_key) " +
					"VALUES (" + s.token + ", 'charge.create', " + s.now + ", 1000, " + s.now + ", " + row + ")"); err != nil {
					t.Fatal(err)
				}
			}
			do := func(want int, args ...string) (out map[string]any) {
				t.Helper()
				var o, e strings.Builder
				args = append(args, "--dsn", s.address, "--table", "idempotency_records", "--json")
				if status := run(t.Context(), args, stdio{strings.NewReader(""), &o, &e}); status != want {
					t.Fatalf("%q: status %d, want %d\n%s%s", args, status, want, o.String(), e.String())
				}
				if err := json.Unmarshal([]byte(o.String()), &out); err != nil {
					t.Fatalf("%q: %v\n%s", args, err, o.String())
				}
				return out
			}
			if r := do(statusFound, "status"); r["held"] != 2.0 {
				t.Errorf("%v", r)
			}
			for i, decision := range []string{"--done", "--run-again"} {
				held := do(statusFound, "held")["held"].([]any)[0].(map[string]any)
				if held["key"] != []string{"k 1", "k 2"}[i] {
					t.Errorf("%v", held)
				}
				at := held["held_at"].(string)
				args := []string{"resolve", "--job", "charge.create", decision, "--why", "because", "--apply", held["key"].(string), "--held-at"}
				do(statusFound, append(args, at[:len(at)-2]+map[bool]string{true: "2Z", false: "1Z"}[at[len(at)-2] == '1'])...)
				if r := do(statusGood, append(args, at)...); r["resolved"] != 1.0 {
					t.Errorf("%v", r)
				}
				do(statusFound, append(args, at)...)
			}
			if r := do(statusGood, "held"); r["total"] != 0.0 {
				t.Errorf("%v", r)
			}
			// The sweep on the same address: what is to be run again has a lease to come by itself.
			var o, e strings.Builder
			sweep := []string{"sweep", "testdata/job", "--dsn", s.address}
			if status := run(t.Context(), sweep, stdio{strings.NewReader(""), &o, &e}); status != statusGood || !strings.Contains(o.String(), "1  waiting") {
				t.Errorf("sweep: status %d\n%s%s", status, o.String(), e.String())
			}
			if r := do(statusFound, "prune", "--older-than", "30d"); r["deleted"] != 1.0 {
				t.Errorf("%v", r)
			}
			do(statusGood, "prune", "--older-than", "30d", "--apply")
			if r := do(statusGood, "status")["jobs"].([]any)[0].(map[string]any); r["stale"] != 1.0 || r["completed"].(map[string]any)["acted"] != 1.0 {
				t.Errorf("%v", r)
			}
		})
	}
}
