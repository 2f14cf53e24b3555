package change

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

//go:embed templates
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"indent": func(n int, text string) string {
		return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+strings.Repeat(" ", n))
	},
}).Funcs(quoting).ParseFS(texts, "templates/*"))

// filling is what a template may name.
type filling struct {
	SQL      string // one statement, without its semicolon
	Table    string
	Job      string
	Message  string
	Dialect  string
	Revision string
	Before   string // the migration that it comes after
	Version  string // of Rails
	App      string
	OwnRow   bool
	LookUp   bool
	Body     string // of a message
	Folder   string // from the top of the repository; "" is the top
}

func fill(name string, f filling) string {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, f); err != nil {
		panic(err) // the templates are this package's own, and tested
	}
	return b.String()
}

const theMigration = "the migration"

// migrationOf is the migration for the framework. Its way back leaves the table: the old
// code does not know it, and dropping it would forget what was done.
func migrationOf(r Request, schema string) ([]File, error) {
	// It may be there already, since the way back leaves it.
	schema = strings.Replace(schema, "CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1)
	f := filling{SQL: statement(schema), Table: r.Table, Dialect: r.Dialect}
	switch r.Framework {
	case Rails:
		return []File{rails(r, f)}, nil
	case Django:
		return django(r, f)
	case Alembic:
		return alembic(r, f)
	}
	name := path.Join(migrationFolder(r.Repository), nextNumber(r)+"_"+migrationName)
	switch r.Framework {
	case Goose:
		return []File{{name + ".sql", fill("goose.sql.tmpl", f), theMigration}}, nil
	case Migrate:
		return []File{{name + ".up.sql", schema, theMigration}, {name + ".down.sql", fill("down.sql.tmpl", f), "its way back"}}, nil
	}
	return []File{{name + ".sql", schema, theMigration}}, nil
}

const migrationName = "create_idempotency_records"

const stampForm = "20060102150405"

// stamp is the time, or what comes after the newest one in the folder: a colleague's
// clock may be ahead, and a migration that is older than the newest is passed over.
func stamp(r Request, folder string) string {
	now := r.Now.UTC().Format(stampForm)
	for _, name := range namesIn(r.Repository, folder) {
		digits, _, _ := strings.Cut(name, "_")
		if numbered.MatchString(name) && len(digits) == len(stampForm) && digits >= now {
			n, _ := strconv.Atoi(digits)
			now = strconv.Itoa(n + 1)
		}
	}
	return now
}

var numbered = regexp.MustCompile(`^([0-9]+)_`)

// nextNumber is the next one where the folder counts, in as many digits; else the time,
// which would stand behind whatever the team counts next.
func nextNumber(r Request) string {
	most, digits, folder := 0, 0, migrationFolder(r.Repository)
	for _, name := range namesIn(r.Repository, folder) {
		m := numbered.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if len(m[1]) >= len("20060102") { // a day at least
			return stamp(r, folder)
		}
		n, _ := strconv.Atoi(m[1]) // few digits
		most, digits = max(most, n), max(digits, len(m[1]))
	}
	if digits == 0 {
		return stamp(r, folder)
	}
	return fmt.Sprintf("%0*d", digits, most+1)
}

// statement is the schema without its remarks and its semicolon: frameworks have their own.
func statement(schema string) string {
	lines := strings.Split(strings.TrimSpace(schema), "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "--") {
		lines = lines[1:]
	}
	return strings.TrimSuffix(strings.Join(lines, "\n"), ";")
}
