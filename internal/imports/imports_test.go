package imports

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRooms(t *testing.T) {
	packages := list(t)
	for _, rule := range graphRules {
		for _, complaint := range rule.check(packages) {
			t.Error(complaint)
		}
	}
}

func TestSource(t *testing.T) {
	used := map[string]bool{}
	files := sources(t)
	for _, pattern := range deciding {
		if !slices.ContainsFunc(files, func(f file) bool { return f.matches(pattern) }) {
			t.Errorf("%s decides and is no file: has it another name now?", pattern)
		}
	}
	for _, f := range files {
		for _, complaint := range append(onlyCmdTouchesTheOutside(f), decidingIsPure(f)...) {
			if allowed[complaint.key()] == "" {
				t.Error(complaint)
			}
			used[complaint.key()] = true
		}
	}
	for exception := range allowed {
		if !used[exception] {
			t.Errorf("%s is allowed and no longer used: take it off the list", exception)
		}
	}
}

// list asks the go command for every package of the module and all it needs.
// A package that does not build yet (-e) still says what it imports.
func list(t *testing.T) graph {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-json=ImportPath,Dir,Standard,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v: %s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	g := graph{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		g[p.ImportPath] = p
	}
	return g
}

// sources are all files of all packages, also those for other platforms.
func sources(t *testing.T) []file {
	t.Helper()
	var files []file
	for path, p := range list(t) {
		dir, ours := room(path)
		if !ours {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			files = append(files, parse(t, filepath.ToSlash(filepath.Join(dir, filepath.Base(path))), path))
		}
	}
	if len(files) == 0 {
		t.Fatal("no source was found")
	}
	return files
}

func parse(t *testing.T, name, path string) file {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file{name, fset, tree}
}
