package change

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	djangoName = regexp.MustCompile(`^[0-9]{4}_\w+\.py$`)
	// djangoBefore is one dependency of a migration: application and name.
	djangoBefore = regexp.MustCompile(`\(\s*["'](\w+)["']\s*,\s*["'](\w+)["']\s*,?\s*\)`)
	// djangoLabel is the name of an application that differs from its folder's.
	djangoLabel = regexp.MustCompile(`(?m)^\s+label\s*=\s*["'](\w+)["']`)
	// djangoModules say where the migrations of some applications are.
	djangoModules = regexp.MustCompile(`(?m)^\s*MIGRATION_MODULES\b[^{\n]*(\{[^}]*\})?`)
)

// django is the next migration of the application that has the job.
func django(r Request, f filling) ([]File, error) {
	app, err := djangoApp(r.Repository, r.App)
	if err != nil {
		return nil, err
	}
	f.App = djangoLabelOf(r.Repository, app)
	if err := djangoElsewhere(r.Repository, f.App); err != nil {
		return nil, err
	}
	folder := path.Join(app, "migrations")
	if f.Before, err = djangoLeaf(r.Repository, folder, f.App); err != nil {
		return nil, err
	}
	number := 0
	if f.Before != "" {
		number, _ = strconv.Atoi(f.Before[:4]) // four digits
	}
	return []File{{path.Join(folder, fmt.Sprintf("%04d%s", number+1, djangoOwn)), fill("django.py.tmpl", f), theMigration}}, nil
}

const djangoOwn = "_idempotency_records.py"

func djangoLabelOf(repository fs.FS, app string) string {
	text, _ := fs.ReadFile(repository, path.Join(app, "apps.py")) // what cannot be read names none
	if m := djangoLabel.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return path.Base(app)
}

// djangoElsewhere refuses an application whose migrations are, or may be, in a module that
// the settings name.
func djangoElsewhere(repository fs.FS, label string) error {
	for _, pattern := range djangoSettings {
		names, _ := fs.Glob(repository, pattern) // the patterns are sound
		for _, name := range names {
			text, _ := fs.ReadFile(repository, name) // what cannot be read names none
			for _, m := range djangoModules.FindAllSubmatch(text, -1) {
				if set := string(m[1]); set == "" || strings.Contains(set, `"`+label+`"`) || strings.Contains(set, `'`+label+`'`) {
					return problem("MIGRATION_MODULES in "+name+" puts the migrations of "+label+" elsewhere, or may do so",
						"make an empty migration with manage.py makemigrations --empty "+label+", and put the SQL of twiceproof schema into it")
				}
			}
		}
	}
	return nil
}

// djangoApp is the folder of the application that is named, or of the only one.
func djangoApp(repository fs.FS, app string) (string, error) {
	apps := djangoApps(repository)
	if app != "" {
		apps = slices.DeleteFunc(apps, func(a string) bool { return path.Base(a) != app })
	}
	switch len(apps) {
	case 0:
		return "", problem("no Django application with a folder migrations was found", "name it with --app, and let it have migrations/__init__.py")
	case 1:
		return apps[0], nil
	}
	return "", problem("several Django applications have migrations: "+strings.Join(apps, ", "), "name the one that has the job with --app")
}

func djangoApps(repository fs.FS) (apps []string) {
	foreign := []string{"node_modules", "site-packages", "venv"}
	walk := func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read holds no application of ours
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || slices.Contains(foreign, d.Name())):
			return fs.SkipDir
		case d.IsDir() && d.Name() == "migrations" && has(repository, path.Join(name, "__init__.py")):
			apps = append(apps, path.Dir(name))
		}
		return nil
	}
	_ = fs.WalkDir(repository, ".", walk) // walk gives no error
	return apps
}

// djangoLeaf is the migration that no other one of the application comes after, but for
// init's own.
func djangoLeaf(repository fs.FS, folder, app string) (string, error) {
	before, all := map[string]bool{}, []string{}
	texts, err := textsIn(repository, folder, func(name string) bool { return djangoName.MatchString(name) && !strings.HasSuffix(name, djangoOwn) })
	if err != nil {
		return "", err
	}
	for name, text := range texts {
		all = append(all, strings.TrimSuffix(name, ".py"))
		for _, m := range djangoBefore.FindAllSubmatch(text, -1) {
			if string(m[1]) == app {
				before[string(m[2])] = true
			}
		}
	}
	return only("Django", "merge them first: manage.py makemigrations --merge", slices.DeleteFunc(all, func(m string) bool { return before[m] }))
}
