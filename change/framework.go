package change

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
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

func migrationFolder(repository fs.FS) string {
	for _, folder := range migrationFolders {
		if has(repository, folder) {
			return folder
		}
	}
	return migrationFolders[0]
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

// Problem is why a migration cannot be written, with what to do about it.
type Problem struct{ What, Hint string }

func (p *Problem) Error() string { return p.What }

// djangoApp is the application that keeps the migration, and its latest one.
func djangoApp(repository fs.FS, app string) (folder, latest string, err error) {
	var apps []string
	_ = fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read holds no application of ours
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || slices.Contains([]string{"node_modules", "site-packages", "venv"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() && d.Name() == "migrations" && has(repository, path.Join(name, "__init__.py")):
			apps = append(apps, path.Dir(name))
		}
		return nil
	})
	if app != "" {
		apps = slices.DeleteFunc(apps, func(a string) bool { return path.Base(a) != app })
	}
	switch {
	case len(apps) == 0:
		return "", "", &Problem{"no Django application with a folder migrations was found", "name it with --app, and let it have migrations/__init__.py"}
	case len(apps) > 1:
		return "", "", &Problem{"several Django applications have migrations: " + strings.Join(apps, ", "), "name the one that has the job with --app"}
	}
	var numbered []string
	for _, name := range namesIn(repository, path.Join(apps[0], "migrations")) {
		if regexp.MustCompile(`^[0-9]{4}_\w+\.py$`).MatchString(name) {
			numbered = append(numbered, strings.TrimSuffix(name, ".py"))
		}
	}
	if len(numbered) > 0 {
		latest = slices.Max(numbered)
	}
	return apps[0], latest, nil
}

var (
	alembicRevision = regexp.MustCompile(`(?m)^revision\s*(?::[^=]*)?=\s*["']([^"']+)["']`)
	alembicBefore   = regexp.MustCompile(`(?m)^down_revision\s*(?::[^=]*)?=\s*(.*)$`)
	quotedWord      = regexp.MustCompile(`["']([^"']+)["']`)
	scriptLocation  = regexp.MustCompile(`(?m)^script_location\s*=\s*(?:%\(here\)s/)?(\S+)`)
)

// alembicHead is the folder of the revisions, and the one that no other one comes after.
func alembicHead(repository fs.FS) (folder, head string, err error) {
	text, err := fs.ReadFile(repository, "alembic.ini")
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", &Problem{"there is no alembic.ini", "run it in the folder that has it, or choose another framework with --migrations"}
	}
	if err != nil {
		return "", "", err
	}
	place := scriptLocation.FindSubmatch(text)
	if place == nil {
		return "", "", &Problem{"alembic.ini names no script_location", "name one there, such as script_location = migrations"}
	}
	folder = path.Join(path.Clean(string(place[1])), "versions")
	revisions, before := map[string]bool{}, map[string]bool{}
	for _, name := range namesIn(repository, folder) {
		text, err := fs.ReadFile(repository, path.Join(folder, name))
		if err != nil || !strings.HasSuffix(name, ".py") {
			continue
		}
		if m := alembicRevision.FindSubmatch(text); m != nil {
			revisions[string(m[1])] = true
		}
		if m := alembicBefore.FindSubmatch(text); m != nil {
			for _, word := range quotedWord.FindAllSubmatch(m[1], -1) {
				before[string(word[1])] = true
			}
		}
	}
	var heads []string
	for r := range revisions {
		if !before[r] {
			heads = append(heads, r)
		}
	}
	if len(heads) > 1 {
		slices.Sort(heads)
		return "", "", &Problem{"Alembic has several heads: " + strings.Join(heads, ", "), "merge them first: alembic merge heads"}
	}
	if len(heads) == 1 {
		head = heads[0]
	}
	return folder, head, nil
}
