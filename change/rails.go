package change

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
)

const railsFolder = "db/migrate"

var railsVersion = regexp.MustCompile(`ActiveRecord::Migration\[([0-9.]+)\]`)

// rails is a migration of the version that the newest one has: an older Rails refuses a
// newer one.
func rails(r Request, f filling) File {
	f.Version = "6.1"
	for _, name := range slices.Backward(namesIn(r.Repository, railsFolder)) {
		text, _ := fs.ReadFile(r.Repository, path.Join(railsFolder, name)) // what cannot be read names none
		if m := railsVersion.FindSubmatch(text); m != nil {
			f.Version = string(m[1])
			break
		}
	}
	return File{path.Join(railsFolder, stamp(r, railsFolder)+"_"+migrationName+".rb"), fill("rails.rb.tmpl", f), theMigration}
}
