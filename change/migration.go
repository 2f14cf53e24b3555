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
	Function string // in Python
	// Transaction is that of an own row, in Python.
	Transaction transaction
	Rails       bool
	Key         string // in SQL
	Dialect     string
	Revision    string
	Before      string // the migration that it comes after
	Version     string // of Rails
	App         string
	OwnRow      bool
	LookUp      bool
	Folder      string // from the top of the repository; "" is the top
	Name        string // of the CI entry; empty: there is no other
	Replay      string // the file, where it has not the usual name
	Needs       needs
}

func fill(name string, f any) string {
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
	schema = whereMissing(schema) // the way back leaves it
	f := filling{SQL: statement(schema), Table: r.Table, Dialect: r.Dialect}
	switch r.Framework {
	case Rails:
		return rails(r, f)
	case Django:
		return django(r, f)
	case Alembic:
		return alembic(r, f)
	}
	folder, err := migrationFolder(r)
	if err == nil {
		err = checkReadable(r.Repository, folder)
	}
	if err != nil {
		return nil, err
	}
	name := path.Join(folder, nextNumber(r, folder)+"_"+migrationName)
	switch r.Framework {
	case Goose:
		return []File{{name + ".sql", fill("goose.sql.tmpl", f), theMigration}}, nil
	case Migrate:
		return []File{{name + ".up.sql", schema, theMigration}, {name + ".down.sql", fill("down.sql.tmpl", f), "its way back"}}, nil
	}
	return []File{{name + ".sql", schema, theMigration}}, nil
}

func whereMissing(schema string) string {
	return strings.Replace(schema, "CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1)
}

const migrationName = "create_idempotency_records"

const stampForm = "20060102150405"

// stamp is the time, or what comes after the newest one in the folder: a colleague's
// clock may be ahead, and a migration that is older than the newest is passed over.
func stamp(r Request, folder string) string {
	now := r.Now.UTC().Format(stampForm)
	for _, name := range namesIn(r.Repository, folder) {
		digits, rest, _ := strings.Cut(name, "_")
		if own, _, _ := strings.Cut(rest, "."); own == migrationName {
			return digits // perhaps of an init that was killed
		}
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
func nextNumber(r Request, folder string) string {
	most, digits := 0, 0
	for _, name := range namesIn(r.Repository, folder) {
		m := numbered.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if strings.HasPrefix(name, m[0]+migrationName+".") {
			return m[1]
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
