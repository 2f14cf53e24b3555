package change

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// Framework is what keeps the application's migrations.
type Framework string

// The frameworks.
const (
	SQL     Framework = "sql"
	Rails   Framework = "rails"
	Django  Framework = "django"
	Alembic Framework = "alembic"
	Goose   Framework = "goose"
	Migrate Framework = "migrate" // golang-migrate
)

// Frameworks are all of them.
func Frameworks() []Framework { return []Framework{SQL, Rails, Django, Alembic, Goose, Migrate} }

// Guess tells by what is in the repository which framework it has; SQL when none is seen.
func Guess(repository fs.FS) Framework {
	switch {
	case has(repository, "config/application.rb"), has(repository, "db/migrate"):
		return Rails
	case has(repository, "manage.py"):
		return Django
	case has(repository, "alembic.ini"):
		return Alembic
	}
	for _, folder := range migrationFolders {
		names := namesIn(repository, folder)
		switch {
		case slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".up.sql") }):
			return Migrate
		case slices.ContainsFunc(names, func(n string) bool { return isGoose(repository, path.Join(folder, n)) }):
			return Goose
		}
	}
	return SQL
}

// migrationFolders are where Go applications usually keep them.
var migrationFolders = []string{"migrations", "db/migrations", "database/migrations", "sql/migrations", "internal/migrations"}

// gooseFolder is where goose itself looks first.
var gooseFolder = regexp.MustCompile(`(?m)^(?:export\s+)?GOOSE_MIGRATION_DIR\s*=\s*["']?([^"'\s#]+)`)

func migrationFolder(r Request) (string, error) {
	text, _ := fs.ReadFile(r.Repository, ".env") // what cannot be read names none
	if m := gooseFolder.FindSubmatch(text); m != nil && r.Framework == Goose {
		return inside(r.Repository, "GOOSE_MIGRATION_DIR of .env", string(m[1]), "", "goose create idempotency_records sql, and put the SQL of twiceproof schema into it")
	}
	for _, folder := range migrationFolders {
		if has(r.Repository, folder) {
			return folder, nil
		}
	}
	return migrationFolders[0], nil
}

func isGoose(repository fs.FS, name string) bool {
	if !strings.HasSuffix(name, ".sql") {
		return false
	}
	text, err := fs.ReadFile(repository, name)
	return err == nil && strings.Contains(string(text), "+goose Up")
}

func has(repository fs.FS, name string) bool {
	_, err := fs.Stat(repository, name)
	return err == nil
}

func namesIn(repository fs.FS, folder string) (names []string) {
	entries, err := fs.ReadDir(repository, folder)
	if err != nil {
		return nil // there is none
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func problem(what, hint string) error { return &hinted.Error{What: what, Hint: hint} }
