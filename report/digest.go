package report

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// Digests are those of the plan and of the histories, as they are on the disk.
func (e Evidence) Digests(r Report) map[string]string {
	files := map[string]string{}
	names := []string{planFile}
	for _, result := range r.Results {
		names = append(names, filepath.ToSlash(historyFile(judge.Planned{Version: result.Version, Case: result.Case, Point: result.Point})))
	}
	for _, name := range names {
		if digest := Digest(filepath.Join(e.Folder, name)); digest != "" { // what does not apply has none
			files[name] = digest
		}
	}
	return files
}

// Altered are the files that are not as the replay left them.
func (e Evidence) Altered(r Report) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Files)), func(name string) bool {
		return filepath.IsLocal(name) && Digest(filepath.Join(e.Folder, name)) == r.Files[name]
	})
}

// Digest is the SHA-256 of a file; empty where there is none.
func Digest(path string) string {
	text, err := readRegular(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
