package change

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	alembicRevision = regexp.MustCompile(`(?m)^revision\s*(?::[^=]*)?=\s*["']([^"']+)["']`)
	// alembicBefore also takes a tuple over several lines, as of a merge.
	alembicBefore  = regexp.MustCompile(`(?m)^down_revision\s*(?::[^=]*)?=\s*(\([^)]*\)|.*$)`)
	quotedWord     = regexp.MustCompile(`["']([^"']+)["']`)
	scriptLocation = regexp.MustCompile(`(?m)^script_location[ \t]*[=:][ \t]*(?:%\(here\)s/)?(.*?)\s*$`)
	otherLocations = regexp.MustCompile(`(?m)^(version_locations\s*[=:]|recursive_version_locations\s*[=:]\s*(true|1|yes|on))`)
)

const alembicName = "_idempotency_records.py"

// alembic is the next revision.
func alembic(r Request, f filling) ([]File, error) {
	folder, err := alembicFolder(r.Repository)
	if err != nil {
		return nil, err
	}
	if f.Before, err = alembicHead(r.Repository, folder); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(f.Before + r.Table))
	f.Revision = hex.EncodeToString(sum[:])[:12]
	return []File{{path.Join(folder, f.Revision+alembicName), fill("alembic.py.tmpl", f), theMigration}}, nil
}

const emptyRevision = "make an empty revision with alembic revision, and put the SQL of twiceproof schema into it"

// alembicFolder refuses what it would read wrongly: a revision that names no head beside
// others makes a second root.
func alembicFolder(repository fs.FS) (string, error) {
	text, err := fs.ReadFile(repository, "alembic.ini")
	if errors.Is(err, fs.ErrNotExist) {
		return "", problem("there is no alembic.ini", "run it in the folder that has it, or choose another framework with --migrations")
	}
	if err != nil {
		return "", err
	}
	places := scriptLocation.FindAllSubmatch(text, -1)
	if len(places) == 0 || len(places[0][1]) == 0 {
		return "", problem("alembic.ini names no script_location", "name one there, such as script_location = migrations")
	}
	location := string(places[0][1])
	if len(places) > 1 || otherLocations.Match(text) || strings.ContainsAny(location, ":%") {
		return "", problem("alembic.ini keeps its revisions in a way that init does not read (several script_location, version_locations, a package, or a value that is put together)", emptyRevision)
	}
	return inside(repository, "script_location of alembic.ini", location, "versions", emptyRevision)
}

// alembicHead is the revision that no other one comes after, but for init's own.
func alembicHead(repository fs.FS, folder string) (string, error) {
	before, all := map[string]bool{}, []string{}
	texts, err := textsIn(repository, folder, func(name string) bool { return strings.HasSuffix(name, ".py") && !strings.HasSuffix(name, alembicName) })
	if err != nil {
		return "", err
	}
	for _, text := range texts {
		if m := alembicRevision.FindSubmatch(text); m != nil {
			all = append(all, string(m[1]))
		}
		if m := alembicBefore.FindSubmatch(text); m != nil {
			for _, word := range quotedWord.FindAllSubmatch(m[1], -1) {
				before[string(word[1])] = true
			}
		}
	}
	return only("Alembic", "merge them first: alembic merge heads", slices.DeleteFunc(all, func(r string) bool { return before[r] }))
}

// only is the one migration to go on from; "" where there is none yet.
func only(framework, merge string, heads []string) (string, error) {
	switch len(heads) {
	case 0:
		return "", nil
	case 1:
		return heads[0], nil
	}
	slices.Sort(heads)
	return "", problem(framework+" has several heads: "+strings.Join(heads, ", "), merge)
}
