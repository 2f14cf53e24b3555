package replay

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/replay/process"
)

// Only what a dead process of this machine has left is removed.
func TestRemoveDead(t *testing.T) {
	ended := exec.CommandContext(t.Context(), "true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	base, dead, self := t.TempDir(), ended.Process.Pid, os.Getpid()
	named := func(namespace string, pid int, start string) string {
		return fmt.Sprintf("twiceproof-%s-%d-%s-123", namespace, pid, start)
	}
	gone := []string{named(namespace(), dead, "1"), named(namespace(), self, "1")} // the second: this number was another's
	stay := []string{
		named(namespace(), self, process.StartOf(self)), named("1", dead, "1"), named(namespace(), dead, "1") + "-notes",
		"twiceproof-123", "twiceproof-postgres-123", "other",
	}
	for _, name := range slices.Concat(gone, stay) {
		if err := os.MkdirAll(filepath.Join(base, name, "case-1"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file, link := named(namespace(), dead, "2"), named(namespace(), dead, "3")
	if err := os.WriteFile(filepath.Join(base, file), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(base, "other"), filepath.Join(base, link)); err != nil {
		t.Fatal(err)
	}
	removeDead(base)
	left, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	want := slices.Concat(stay, []string{file, link})
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("left %q\nwant %q", names, want)
	}
	if _, err := os.Stat(filepath.Join(base, "other", "case-1")); err != nil {
		t.Error(err)
	}
	removeDead(filepath.Join(base, "nowhere"))
}

func TestFoldersNameIsItsMakers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := makeFolder(); err != nil { // a second replay of this process
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil || !ownFolder.MatchString(filepath.Base(folder)) {
		t.Errorf("%s: %v", folder, err)
	}
}
