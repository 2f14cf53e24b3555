package change

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// inside is the folder of the migrations that a setting names, which must be there and in
// this one: init writes nowhere else.
func inside(repository fs.FS, setting, location, below, otherwise string) (string, error) {
	folder := path.Clean(strings.ReplaceAll(location, `\`, "/"))
	switch {
	case !fs.ValidPath(folder):
		return "", problem(setting+" is a folder outside of this one: "+quoted(location),
			"run init in the folder that has both and the job file, or write the migration yourself: "+otherwise)
	case !has(repository, folder):
		return "", problem(setting+" names a folder that is not there: "+quoted(location), "make it, or correct the setting")
	}
	return path.Join(folder, below), nil
}

// textsIn a folder are those of the files that are wanted. One that cannot be read may be the
// newest, so it is not passed over.
func textsIn(repository fs.FS, folder string, wanted func(name string) bool) (map[string][]byte, error) {
	texts := map[string][]byte{}
	entries, err := fs.ReadDir(repository, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unread(err)
	}
	for _, e := range entries {
		if !wanted(e.Name()) {
			continue
		}
		if texts[e.Name()], err = fs.ReadFile(repository, path.Join(folder, e.Name())); err != nil {
			return nil, unread(err)
		}
	}
	return texts, nil
}

// checkReadable: in a folder that cannot be read nothing would be seen, as in an empty one.
func checkReadable(repository fs.FS, folder string) error {
	_, err := textsIn(repository, folder, func(string) bool { return false })
	return err
}

func unread(err error) error {
	return problem("the migrations that are there cannot all be read: "+err.Error(), "a new one has to come after the newest: make them readable")
}
