package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func TestTreeOf(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "a job")
	evidence := filepath.Join(folder, "evidence", "charge.create")
	write := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(words ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", top, "-c", "user.name=a", "-c", "user.email=a@b.example"}, words...)...)
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", words, err, text)
		}
		return strings.TrimSpace(string(text))
	}
	write(filepath.Join(folder, "worker.go"))
	if tree := treeOf(t.Context(), folder, evidence); tree != nil {
		t.Errorf("not in git, and yet %+v", tree)
	}
	in("init", "-q")
	if tree := treeOf(t.Context(), folder, evidence); tree != nil {
		t.Errorf("no commit, and yet %+v", tree)
	}
	in("add", ".")
	in("commit", "-q", "-m", "first")
	want := in("rev-parse", "HEAD")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "of a hook")) // of another repository
	dirty := func(want bool, when string) {
		t.Helper()
		tree := treeOf(t.Context(), folder, evidence)
		if tree == nil || tree.Dirty != want {
			t.Fatalf("%s: %+v, want dirty %t", when, tree, want)
		}
	}
	dirty(false, "as committed")
	if tree := treeOf(t.Context(), folder, evidence); tree.Commit != want {
		t.Errorf("got %s, want %s", tree.Commit, want)
	}
	write(filepath.Join(evidence, "only", "plan.json"))
	dirty(false, "with evidence in it")
	write(filepath.Join(top, "elsewhere.go"))
	dirty(true, "with a file that is not committed")
	if err := os.Remove(filepath.Join(top, "elsewhere.go")); err != nil {
		t.Fatal(err)
	}
	dirty(false, "without it")
	write(filepath.Join(top, "charge.create"))
	dirty(true, "with a file called like the evidence")
	if err := os.Remove(filepath.Join(top, "charge.create")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "worker.go")); err != nil {
		t.Fatal(err)
	}
	dirty(true, "with a file removed")
}

// Folders that begin with a point are none the less the evidence's, or the job's.
func TestTreeOfHiddenFolders(t *testing.T) {
	top := t.TempDir()
	if names := namesIn(top, top, filepath.Join(top, ".evidence", "charge.create"), filepath.Join(top, "..jobs"), filepath.Dir(top)); !slices.Equal(names, []string{".evidence/charge.create", "..jobs"}) {
		t.Errorf("%q", names)
	}
}

func TestVersionOf(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "01ab"}
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3":                    {Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{commit}},
		"(devel)":                   {Main: debug.Module{Version: "(devel)"}},
		"(devel) 01ab":              {Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "false"}}},
		"(devel) 01ab with changes": {Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "true"}}},
	} {
		if got := versionOf(&info); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
