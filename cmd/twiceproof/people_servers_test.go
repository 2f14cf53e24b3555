package main

import (
	"context"
	"crypto/rand"
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

// What the account may not do is told as that, and neither as somebody's lock nor as a reply
// that was lost.
func TestPeopleWithoutTheRight(t *testing.T) {
	for _, s := range peopleServers(t) {
		t.Run(s.dialect, func(t *testing.T) {
			db, err := sql.Open(s.driver, s.dsn)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			exec := func(statement string) {
				t.Helper()
				if _, err := db.Exec(statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			for _, row := range []string{"'held', NULL, NULL, " + s.now + ", 'max_acts', 'k'", "'completed', " + s.now + " - INTERVAL '40' DAY, 'acted', NULL, NULL, 'old'"} {
				exec("INSERT INTO idempotency_records (claim_token, job_type, claimed_at, lease_ms, first_claimed_at, state, completed_at, completion, held_at, hold_reason, operation_key) " +
					"VALUES (" + s.token + ", 'charge.create', " + s.now + ", 1000, " + s.now + ", " + row + ")")
			}
			address, grant := s.reader(t, db)
			do := func(args ...string) (status int, out, errs string) {
				var o, e strings.Builder
				status = run(t.Context(), append(args, "--dsn", address, "--table", "idempotency_records"), stdio{strings.NewReader(""), &o, &e})
				return status, o.String(), e.String()
			}
			_, held, _ := do("held", "--json")
			_, at, _ := strings.Cut(held, `"held_at": "`)
			at, _, _ = strings.Cut(at, `"`)
			prune := []string{"prune", "--older-than", "30d", "--apply"}
			resolve := []string{"resolve", "--job", "charge.create", "--done", "--why", "because", "--apply", "k", "--held-at", at}
			for right, args := range map[string][]string{"DELETE": prune, "UPDATE": resolve} {
				status, out, errs := do(args...)
				if status != statusUsage || !strings.Contains(errs, "denied") || !strings.Contains(errs, "hint: the account of --dsn needs GRANT SELECT, "+right+" ON idempotency_records") ||
					strings.Contains(errs+out, "somebody else") {
					t.Errorf("%s: status %d\n%s%s", args[0], status, out, errs)
				}
			}
			// The control: with the rights both are done, so nothing was before.
			grant("DELETE, UPDATE")
			if status, out, errs := do(prune...); status != statusGood || !strings.Contains(out, "1 deleted") {
				t.Errorf("prune: status %d\n%s%s", status, out, errs)
			}
			if status, out, errs := do(resolve...); status != statusGood {
				t.Errorf("resolve: status %d\n%s%s", status, out, errs)
			}
		})
	}
}

// reader makes an account that may only read, which ends with the test.
func (s peopleServer) reader(t *testing.T, db *sql.DB) (address string, grant func(rights string)) {
	t.Helper()
	exec := func(statement string) {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	u, err := url.Parse(s.address)
	if err != nil {
		t.Fatal(err)
	}
	name := "reader_" + strings.ToLower(rand.Text())
	if u.User = url.User(name); s.dialect == "postgres" {
		exec("CREATE ROLE " + name + " LOGIN")
		t.Cleanup(func() { exec("DROP OWNED BY " + name); exec("DROP ROLE " + name) })
	} else {
		exec("CREATE USER " + name)
		t.Cleanup(func() { exec("DROP USER " + name) })
	}
	grant = func(rights string) { exec("GRANT " + rights + " ON idempotency_records TO " + name) }
	grant("SELECT")
	return u.String(), grant
}
