package change

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"path"
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
}).ParseFS(texts, "templates/*"))

// filling is what a template may name.
type filling struct {
	SQL      string // one statement, without its semicolon
	Table    string
	Job      string
	Message  string
	Dialect  string
	Revision string
	Before   string // the migration that it comes after
	App      string
	OwnRow   bool
	LookUp   bool
	Body     string // of a message
}

func fill(name string, f filling) string {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, f); err != nil {
		panic(err) // the templates are this package's own, and tested
	}
	return b.String()
}

const stamp = "20060102150405"

// migrationOf is the migration for the framework. Its way back leaves the table: the old
// code does not know it, and dropping it would forget what was done.
func migrationOf(r Request, schema string) ([]File, error) {
	const what, name = "the migration", "create_idempotency_records"
	f := filling{Table: r.Table, Dialect: r.Dialect}
	// It may be there already, since the way back leaves it.
	schema = strings.Replace(schema, "CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1)
	f.SQL = statement(schema)
	at := r.Now.UTC().Format(stamp)
	folder := migrationFolder(r.Repository)
	switch r.Framework {
	case Rails:
		return []File{{path.Join("db/migrate", at+"_"+name+".rb"), fill("rails.rb.tmpl", f), what}}, nil
	case Django:
		app, latest, err := djangoApp(r.Repository, r.App)
		if err != nil {
			return nil, err
		}
		f.App, f.Before = path.Base(app), latest
		number := 0
		if latest != "" {
			number, _ = strconv.Atoi(latest[:4]) // four digits
		}
		return []File{{path.Join(app, "migrations", fmt.Sprintf("%04d_idempotency_records.py", number+1)), fill("django.py.tmpl", f), what}}, nil
	case Alembic:
		versions, head, err := alembicHead(r.Repository)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(head + r.Table))
		f.Revision, f.Before = hex.EncodeToString(sum[:])[:12], head
		return []File{{path.Join(versions, f.Revision+"_idempotency_records.py"), fill("alembic.py.tmpl", f), what}}, nil
	case Goose:
		return []File{{path.Join(folder, at+"_"+name+".sql"), fill("goose.sql.tmpl", f), what}}, nil
	case Migrate:
		return []File{
			{path.Join(folder, at+"_"+name+".up.sql"), schema, what},
			{path.Join(folder, at+"_"+name+".down.sql"), fill("down.sql.tmpl", f), "its way back"},
		}, nil
	}
	return []File{{path.Join(folder, at+"_"+name+".sql"), schema, what}}, nil
}

// statement is the schema without its remarks and its semicolon: frameworks have their own.
func statement(schema string) string {
	lines := strings.Split(strings.TrimSpace(schema), "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "--") {
		lines = lines[1:]
	}
	return strings.TrimSuffix(strings.Join(lines, "\n"), ";")
}

func trimmed(text string) string { return strings.TrimRight(text, " \n") }
