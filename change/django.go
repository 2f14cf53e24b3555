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
)

// django is the next migration of the application that has the job.
func django(r Request, f filling) ([]File, error) {
	app, err := djangoApp(r.Repository, r.App)
	if err != nil {
		return nil, err
	}
	f.App = path.Base(app)
	folder := path.Join(app, "migrations")
	if f.Before, err = djangoLeaf(r.Repository, folder, f.App); err != nil {
		return nil, err
	}
	number := 0
	if f.Before != "" {
		number, _ = strconv.Atoi(f.Before[:4]) // four digits
	}
	return []File{{path.Join(folder, fmt.Sprintf("%04d_idempotency_records.py", number+1)), fill("django.py.tmpl", f), theMigration}}, nil
}

// djangoApp is the folder of the application that is named, or of the only one.
func djangoApp(repository fs.FS, app string) (string, error) {
	apps := djangoApps(repository)
	if app != "" {
		apps = slices.DeleteFunc(apps, func(a string) bool { return path.Base(a) != app })
	}
	switch len(apps) {
	case 0:
		return "", &Problem{"no Django application with a folder migrations was found", "name it with --app, and let it have migrations/__init__.py"}
	case 1:
		return apps[0], nil
	}
	return "", &Problem{"several Django applications have migrations: " + strings.Join(apps, ", "), "name the one that has the job with --app"}
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

// djangoLeaf is the migration that no other one of the application comes after.
func djangoLeaf(repository fs.FS, folder, app string) (string, error) {
	before, all := map[string]bool{}, []string{}
	for _, name := range namesIn(repository, folder) {
		text, err := fs.ReadFile(repository, path.Join(folder, name))
		if err != nil || !djangoName.MatchString(name) {
			continue
		}
		all = append(all, strings.TrimSuffix(name, ".py"))
		for _, m := range djangoBefore.FindAllSubmatch(text, -1) {
			if string(m[1]) == app {
				before[string(m[2])] = true
			}
		}
	}
	return only("Django", "merge them first: manage.py makemigrations --merge", slices.DeleteFunc(all, func(m string) bool { return before[m] }))
}
