package change_test

import (
	"database/sql"
	"regexp"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
)

var (
	printed       = regexp.MustCompile(`(?m)^# .* printed by\n#   (.*)$`)
	shopsDatabase = regexp.MustCompile(`\bshop(\.db)?( |$)`)
)

// The application's tables, dumped as the replay file's remark says, stand behind our schema
// in one text that a driver takes, as a replay gives it to the database.
func TestDumpOfTheApplication(t *testing.T) {
	for _, d := range dialect.Names() {
		t.Run(d, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, change.Django, d)
			p.initialise()
			p.run(p.up)
			m := printed.FindStringSubmatch(p.run("cat twiceproof.replay.yaml"))
			if m == nil {
				t.Fatal("no command in the replay file")
			}
			line := shopsDatabase.ReplaceAllString(m[1], map[string]string{"postgres": "'{dsn}' ", "mysql": "{name} ", "sqlite": "{place} "}[d])
			line = "mysqldump() { command mysqldump --no-defaults --host 127.0.0.1 --user root --port {port} \"$@\"; }; " + strings.Replace(line, "=shop.", "={name}.", 1)
			text := p.run("cat twiceproof/schema." + d + ".sql; " + p.db.fill(line))

			other := newDatabase(t, d)
			db := other.DB
			if d == "mysql" {
				config := other.config()
				config.MultiStatements = true
				var err error
				if db, err = sql.Open("mysql", config.FormatDSN()); err != nil {
					t.Fatal(err)
				}
				defer db.Close()
			}
			db.SetMaxIdleConns(0) // a dump sets its session's search_path
			if _, err := db.ExecContext(t.Context(), text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got := other.findings(); len(got) > 0 {
				t.Errorf("doctor: %q", got)
			}
			other.exec("INSERT INTO charges (order_id) VALUES ('one')")
		})
	}
}
