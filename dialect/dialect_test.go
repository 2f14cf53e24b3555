package dialect

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var judgedByClock = []string{"take_over", "hold", "assume", "give_up", "release", "renew", "complete", "late_finish"}

func TestLoad(t *testing.T) {
	for _, name := range Names() {
		for _, table := range []string{"", "jobs", "app.jobs", "_j1"} {
			s, err := Load(name, table)
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range s.files() {
				if table != "" && strings.Contains(*text, Table) || !strings.Contains(*text, tableIn(table)) && !ofTheTransaction[file] {
					t.Errorf("%s/%s for table %q names another one", name, file, table)
				}
			}
		}
		for _, table := range []string{"a b", `a"b`, "a.b.c", "a;", "1a", "a.", ".a", "é", strings.Repeat("a", 64), "a\n"} {
			if _, err := Load(name, table); err == nil {
				t.Errorf("table %q was taken", table)
			}
		}
	}
	for table, refusedBy := range map[string][]string{
		"select": Names(), "Order": Names(), "app.order": Names(), "order.app": Names(), "orders": nil, strings.Repeat("a", 57): nil, strings.Repeat("a", 58): {"mysql"}, strings.Repeat("a", 63): {"mysql"}, strings.Repeat("a", 63) + ".jobs": nil,
		"rank": {"mysql"}, "user": {"postgres"}, "app.key": {"mysql"}, "isnull": {"postgres", "sqlite"},
	} {
		for _, name := range Names() {
			if _, err := Load(name, table); (err != nil) != slices.Contains(refusedBy, name) {
				t.Errorf("%s: table %q: %v", name, table, err)
			}
		}
	}
	for _, name := range []string{"", "oracle", "../sqlite", "postgres/x"} {
		if _, err := Load(name, ""); err == nil {
			t.Errorf("dialect %q was loaded", name)
		}
	}
}

// ofTheTransaction are about the transaction that a claim is in, not about a record.
var ofTheTransaction = map[string]bool{"mark_own_row": true, "seal_own_row": true}

func tableIn(table string) string {
	if table == "" {
		return Table
	}
	return table
}

var (
	comment = regexp.MustCompile(`(?m)--.*$`)
	clock   = regexp.MustCompile(`julianday\('now'\)|statement_timestamp\(\)|UTC_TIMESTAMP\(6\)`)
	foreign = regexp.MustCompile(`(?i)clock_timestamp|\bnow\(|sysdate|current_timestamp|unixepoch|strftime|datetime\('`)
)

// Every statement after claim shows the token in its WHERE (but the count of repeats,
// which is nobody's), and knows no other clock than the database's, once a statement.
func TestEveryStatement(t *testing.T) {
	for _, name := range Names() {
		s, err := Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range s.files() {
			sql := comment.ReplaceAllString(*text, "")
			_, where, _ := strings.Cut(sql, "WHERE")
			if strings.HasPrefix(strings.TrimSpace(sql), "UPDATE") && file != "repeat" && !regexp.MustCompile(`claim_token (=|<>) [$?]3`).MatchString(where) {
				t.Errorf("%s/%s does not show the token", name, file)
			}
			if foreign.MatchString(sql) {
				t.Errorf("%s/%s uses another clock", name, file)
			}
			if n := strings.Count(strings.TrimSpace(sql), "\n") + 1; n > 30 && file != "schema" {
				t.Errorf("%s/%s has %d lines", name, file, n)
			}
			// PostgreSQL marks nothing.
			if strings.Count(sql, ";") != 1 && (name != "postgres" || file != "mark_own_row" || strings.TrimSpace(sql) != "") {
				t.Errorf("%s/%s is not one statement", name, file)
			}
			if slices.Contains(judgedByClock, file) && !clock.MatchString(sql) {
				t.Errorf("%s/%s does not ask the database's clock", name, file)
			}
		}
	}
}

// The verbs of all dialects take the same parameters in the same order.
func TestSameParameters(t *testing.T) {
	postgres, _ := Load("postgres", "")
	for _, name := range []string{"mysql", "sqlite"} {
		others, _ := Load(name, "")
		for file, text := range postgres.files() {
			a, b := parameters(*text), parameters(*others.files()[file])
			// The timers, and the number of the transaction, are PostgreSQL's alone.
			if only := map[string]string{"claim_own_row": "8", "seal_own_row": "1"}[file]; only != "" && a == only {
				continue
			}
			if a != b {
				t.Errorf("%s: postgres %s, %s %s", file, a, name, b)
			}
		}
	}
}

// In MySQL each statement that writes tells by its insert id that it did, whatever
// the connection counts as a row.
func TestInsertID(t *testing.T) {
	s, err := Load("mysql", "")
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range s.files() {
		sql := strings.TrimSpace(comment.ReplaceAllString(*text, ""))
		if writes := strings.Contains(sql, "INSERT INTO") || strings.HasPrefix(sql, "UPDATE"); writes && !strings.Contains(sql, "LAST_INSERT_ID(") {
			t.Errorf("%s does not tell", file)
		}
	}
}

func TestPositional(t *testing.T) {
	p := NewPositional("UPDATE t SET a = ?3, b = ?12 + ?3 WHERE c = ?1")
	if p.SQL != "UPDATE t SET a = ?, b = ? + ? WHERE c = ?" || !slices.Equal(p.Order, []int{2, 11, 2, 0}) {
		t.Errorf("%+v", p)
	}
	if got := NewPositional("?2 ?1 ?2").Arguments([]any{"a", "b"}); !slices.Equal(got, []any{"b", "a", "b"}) {
		t.Errorf("%v", got)
	}
}

func parameters(sql string) string {
	highest := ""
	for _, p := range regexp.MustCompile(`[$?](\d+)`).FindAllStringSubmatch(comment.ReplaceAllString(sql, ""), -1) {
		if len(p[1]) > len(highest) || len(p[1]) == len(highest) && p[1] > highest {
			highest = p[1]
		}
	}
	return highest
}
