package dialect

import (
	"regexp"
	"strings"
	"testing"
)

// What a person changes is what they saw: the hold and the token. What is deleted is
// judged by the database's clock, in the statement that deletes it.
func TestLoadAdmin(t *testing.T) {
	shown := map[string][]string{
		"held_message": {"claim_token = [$?]3", "held_at.* = [$?]4", "state = 'held'"},
		"resolve":      {"claim_token = [$?]3", "held_at.* = [$?]5", "state = 'held'"},
		"run_again":    {"claim_token = [$?]3", "held_at.* = [$?]5", "state = 'held'"},
		"prune":        {"state = 'completed'", "completed_at.*[$?]4|[$?]4.*completed_at", "late_finish_at IS NULL", clock.String()},
	}
	for _, name := range Names() {
		for _, table := range []string{"", "jobs", "app.jobs"} {
			a, err := LoadAdmin(name, table)
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range a.files() {
				sql := strings.TrimSpace(comment.ReplaceAllString(*text, ""))
				if file == "wait_shortly" {
					if (sql == "") != (name == "sqlite") {
						t.Errorf("%s/%s: %q", name, file, sql)
					}
					continue
				}
				if strings.Count(sql, ";") != 1 || strings.Count(sql, "\n") >= 30 || foreign.MatchString(sql) {
					t.Errorf("%s/%s: not one statement of at most 30 lines by the database's clock", name, file)
				}
				if table != "" && strings.Contains(*text, Table) || !strings.Contains(*text, tableIn(table)) {
					t.Errorf("%s/%s for table %q names another one", name, file, table)
				}
				_, where, _ := strings.Cut(sql, "WHERE")
				for _, want := range shown[file] {
					if !regexp.MustCompile(want).MatchString(where) {
						t.Errorf("%s/%s does not show %q", name, file, want)
					}
				}
				if writes := strings.HasPrefix(sql, "UPDATE"); writes && name == "mysql" && !strings.Contains(sql, "LAST_INSERT_ID(") {
					t.Errorf("%s/%s does not tell that it wrote", name, file)
				}
			}
		}
	}
	for _, bad := range [][2]string{{"oracle", ""}, {"sqlite", "a b"}} {
		if _, err := LoadAdmin(bad[0], bad[1]); err == nil {
			t.Errorf("%q was loaded", bad)
		}
	}
}

func TestSameAdminParameters(t *testing.T) {
	postgres, _ := LoadAdmin("postgres", "")
	for _, name := range []string{"mysql", "sqlite"} {
		others, _ := LoadAdmin(name, "")
		for file, text := range postgres.files() {
			if a, b := parameters(*text), parameters(*others.files()[file]); a != b {
				t.Errorf("%s: postgres %s, %s %s", file, a, name, b)
			}
		}
	}
}
