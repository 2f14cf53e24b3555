package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func nowhere(string) (string, error) { return "", exec.ErrNotFound }

func TestInstallLine(t *testing.T) {
	installers := []Installer{{"brew", "brew install it"}, {"apt-get", "apt-get install it"}}
	onlyApt := func(program string) (string, error) {
		if program == "apt-get" {
			return "/usr/bin/apt-get", nil
		}
		return nowhere(program)
	}
	if got := InstallLine(onlyApt, installers, "by hand"); got != "apt-get install it" {
		t.Errorf("with apt-get: %q", got)
	}
	if got := InstallLine(nowhere, installers, "by hand"); got != "by hand" {
		t.Errorf("without a package manager: %q", got)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for path, mode := range map[string]os.FileMode{"a/notes": 0o644, "b/notes": 0o755, "b/other": 0o755} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	p := Places{nowhere, []string{filepath.Join(root, "*")}}
	if got, want := p.Find("missing", "notes", "other"), filepath.Join(root, "b", "notes"); got != want {
		t.Errorf("found %q, want %q: the first name, and only a file that can be run", got, want)
	}
	if got := p.Find("missing"); got != "" {
		t.Errorf("found %q", got)
	}
	onPath := Places{func(name string) (string, error) { return "/path/" + name, nil }, p.Globs}
	if got := onPath.Find("notes"); got != "/path/notes" {
		t.Errorf("found %q before the one on the PATH", got)
	}
	if got := strings.Join(p.Looked(), " "); got != "PATH "+filepath.Join(root, "*") {
		t.Errorf("looked in %q", got)
	}
}
