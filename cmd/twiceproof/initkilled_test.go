package main

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testdb"
)

// initialised is a repository of golang-migrate's with a job file, and what init says and
// leaves there. The words stand before the command.
func initialised(t *testing.T, folder string, words ...string) (map[string]string, *exec.ExitError) {
	t.Helper()
	if !isThere(filepath.Join(folder, "twiceproof.yaml")) {
		text, err := os.ReadFile("testdata/job/twiceproof.yaml")
		if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "twiceproof.yaml"), text, 0o600), os.MkdirAll(filepath.Join(folder, "migrations"), 0o755),
			os.WriteFile(filepath.Join(folder, "migrations", "7_first.up.sql"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	words = append(words, "twiceproof", "init", "--write", "--database", "postgres", folder)
	output, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("%v\n%s", err, output)
	}
	texts := map[string]string{}
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path) // it is below
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts, ended
}

// An init that is killed at any of its writes leaves no file half-written, and is gone on
// with by the next one.
func TestInitKilled(t *testing.T) {
	testdb.Needs(t, "strace", "apt-get install strace")
	whole, ended := initialised(t, t.TempDir())
	if ended != nil {
		t.Fatal(ended)
	}
	killed := 0
	for name := range whole {
		for _, call := range []string{"openat", "write", "linkat", "unlinkat"} {
			folder := t.TempDir()
			beside := filepath.Join(folder, filepath.Dir(name), "."+filepath.Base(name)+".unfinished")
			left, ended := initialised(t, folder, "strace", "-f", "-qq", "-o", filepath.Join(t.TempDir(), "trace"), "-P", beside, "-e", "inject="+call+":signal=KILL")
			if ended == nil {
				continue // it is not init's
			}
			if killed++; !wasKilled(ended) {
				t.Fatalf("%s of %s: %v", call, name, ended)
			}
			delete(left, filepath.Join(filepath.Dir(name), filepath.Base(beside)))
			for name, text := range left {
				if text != whole[name] {
					t.Errorf("killed at %s of %s: %s has\n%s", call, name, name, text)
				}
			}
			if got, ended := initialised(t, folder); ended != nil || !maps.Equal(got, whole) {
				t.Errorf("killed at %s of %s, then once more: %v, %v", call, name, ended, slices.Sorted(maps.Keys(got)))
			}
		}
	}
	if killed != 4*8 { // the files of init
		t.Errorf("it was killed %d times", killed)
	}
}

// wasKilled: strace ends as the program does.
func wasKilled(e *exec.ExitError) bool {
	status, is := e.Sys().(syscall.WaitStatus)
	return is && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// Where a file system has no links, the same files are written.
func TestInitWithoutLinks(t *testing.T) {
	testdb.Needs(t, "strace", "apt-get install strace")
	whole, ended := initialised(t, t.TempDir())
	got, endedToo := initialised(t, t.TempDir(), "strace", "-f", "-qq", "-o", filepath.Join(t.TempDir(), "trace"), "-e", "inject=linkat:error=EPERM")
	if ended != nil || endedToo != nil || !maps.Equal(got, whole) {
		t.Errorf("%v, %v: %v", ended, endedToo, slices.Sorted(maps.Keys(got)))
	}
}

// Once more is nothing to do; a file that was changed since stops it.
func TestInitOnceMore(t *testing.T) {
	folder := t.TempDir()
	whole, ended := initialised(t, folder)
	if again, endedAgain := initialised(t, folder); ended != nil || endedAgain != nil || !maps.Equal(again, whole) {
		t.Fatalf("%v, %v: %v", ended, endedAgain, slices.Sorted(maps.Keys(again)))
	}
	changed := filepath.Join(folder, "twiceproof.replay.yaml")
	if err := errors.Join(os.Remove(filepath.Join(folder, "twiceproof", "job.go.txt")), os.WriteFile(changed, []byte(strings.ReplaceAll(whole["twiceproof.replay.yaml"], "FILL_IN", "mine")), 0o600)); err != nil {
		t.Fatal(err)
	}
	if left, ended := initialised(t, folder); ended == nil || ended.ExitCode() != statusUsage || len(left) != len(whole)-1 {
		t.Errorf("%v: %v", ended, slices.Sorted(maps.Keys(left)))
	}
}
