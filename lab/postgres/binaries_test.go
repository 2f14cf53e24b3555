package postgres

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

func nowhere(string) (string, error) { return "", exec.ErrNotFound }

func in(lookPath func(string) (string, error), globs ...string) places {
	return places{process.Places{LookPath: lookPath, Globs: globs}}
}

func TestFindNewest(t *testing.T) {
	root := t.TempDir()
	for _, version := range []string{"9.6", "14", "17"} {
		for _, program := range []string{"initdb", "postgres"} {
			if version == "17" && program == "postgres" {
				continue // client and initdb only: not usable
			}
			touch(t, filepath.Join(root, version, "bin", program))
		}
	}
	// The version is read as the first number of the path, so the temporary
	// folder's own digits must not come first.
	t.Chdir(root)
	got, err := in(nowhere, "*/bin").find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join("14", "bin"); got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

func TestFindFollowsLink(t *testing.T) {
	root := t.TempDir()
	programs := filepath.Join(root, "lib", "bin")
	touch(t, filepath.Join(programs, "initdb"))
	touch(t, filepath.Join(programs, "postgres"))
	link := filepath.Join(root, "initdb")
	if err := os.Symlink(filepath.Join(programs, "initdb"), link); err != nil {
		t.Fatal(err)
	}
	lookPath := func(program string) (string, error) {
		if program == "initdb" {
			return link, nil
		}
		return nowhere(program)
	}
	got, err := in(lookPath).find(t.Context())
	if err != nil || filepath.Base(filepath.Dir(got)) != "lib" {
		t.Errorf("found %q, %v", got, err)
	}
}

func TestNotInstalled(t *testing.T) {
	_, err := in(nowhere, "/nowhere/*/bin").find(t.Context())
	var missing *NotInstalledError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "/nowhere/*/bin") {
		t.Errorf("the error does not say where it looked: %v", err)
	}
	if got := missing.Hint(); !strings.Contains(got, "PATH") {
		t.Errorf("hint without a package manager: %q", got)
	}
}

func TestUsualPlacesArePatterns(t *testing.T) {
	for _, glob := range usualPlaces.Globs {
		if _, err := filepath.Match(glob, ""); err != nil {
			t.Errorf("%s: %v", glob, err)
		}
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}
