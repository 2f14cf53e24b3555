package change

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
)

const railsFolder = "db/migrate"

var (
	railsVersion = regexp.MustCompile(`ActiveRecord::Migration\[([0-9.]+)\]`)
	railsPath    = regexp.MustCompile(`(?m)^[^#\n]*\bpaths\[["']db/migrate["']\]`)
)

// rails is a migration of the version that the newest one has: an older Rails refuses a
// newer one.
func rails(r Request, f filling) ([]File, error) {
	if text, _ := fs.ReadFile(r.Repository, "config/application.rb"); railsPath.Match(text) { // what cannot be read sets none
		return nil, problem("config/application.rb sets a path of its own for db/migrate", "make an empty migration with rails generate migration, and let it execute the SQL of twiceproof schema")
	}
	if err := checkReadable(r.Repository, railsFolder); err != nil {
		return nil, err
	}
	f.Version = "6.1"
	for _, name := range slices.Backward(namesIn(r.Repository, railsFolder)) {
		text, _ := fs.ReadFile(r.Repository, path.Join(railsFolder, name)) // what cannot be read names none
		if m := railsVersion.FindSubmatch(text); m != nil {
			f.Version = string(m[1])
			break
		}
	}
	return []File{{path.Join(railsFolder, stamp(r, railsFolder)+"_"+migrationName+".rb"), fill("rails.rb.tmpl", f), theMigration}}, nil
}
