package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/note"
	"github.com/twiceproof/twiceproof/report"
)

// A note is about the code that was replayed: what has changed since is named, and what
// is as it was when it was replayed, committed or not, is no doubt.
func TestNoteSeesTheCode(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "a job")
	if err := os.CopyFS(folder, os.DirFS(noteFolder(t))); err != nil {
		t.Fatal(err)
	}
	in := func(words ...string) string {
		t.Helper()
		text, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", top, "-c", "user.name=a", "-c", "user.email=a@b.example"}, words...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", words, err, text)
		}
		return strings.TrimSpace(string(text))
	}
	worker := filepath.Join(folder, "wörker.py")
	put(t, worker, "charge()\n")
	put(t, filepath.Join(top, "README"), "elsewhere\n")
	in("init", "-q")
	in("add", ".")
	in("commit", "-q", "-m", "first")
	t.Chdir(folder)
	replayed := func() { // as a replay that runs now writes it
		t.Helper()
		path := "evidence/charge.create/result.json"
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r report.Report
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		r.Tree = treeOf(t.Context(), ".", evidenceName)
		var written bytes.Buffer
		if err := report.WriteJSON(&written, r); err != nil {
			t.Fatal(err)
		}
		put(t, path, written.String())
	}
	want := func(when string, status int, said string) {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(t.Context(), []string{"note"}, stdio{strings.NewReader(""), &out, &errs}); got != status || !strings.Contains(out.String()+errs.String(), said) {
			t.Errorf("%s: status %d, want %d and %q\n%s%s", when, got, status, said, out.String(), errs.String())
		}
	}
	replayed()
	want("as committed", statusGood, "code at")
	put(t, filepath.Join(top, "README"), "another\n")
	want("a file elsewhere", statusGood, "code at")
	put(t, worker, "charge(twice)\n")
	want("other code", statusFound, "error: not shown: the code has changed since the replay: a job/wörker.py")
	replayed()
	want("the other code was replayed", statusGood, "with changes")
	put(t, worker, "charge(thrice)\n")
	want("other code again", statusFound, "a job/wörker.py")
	put(t, worker, "charge()\n")
	want("taken back", statusFound, "a job/wörker.py")
	put(t, worker, "charge(twice)\n")
	in("commit", "-q", "-a", "-m", "second")
	want("committed as it was replayed", statusGood, "Shown by replay")
	put(t, "sitecustomize.py", "import charge\n")
	want("a new file", statusGood, "new since the replay: a job/sitecustomize.py")
	if err := os.Remove(worker); err != nil {
		t.Fatal(err)
	}
	want("code that is gone", statusFound, "a job/wörker.py")
	put(t, worker, "charge(twice)\n")
	if err := os.RemoveAll(filepath.Join(top, ".git")); err != nil {
		t.Fatal(err)
	}
	want("without git", statusGood, "could not be told: the job file is in no git repository")
	in("init", "-q")
	want("without the commit", statusGood, "is not in this repository")
}

// What is not code changes nothing: another job's evidence, a database beside the code,
// and what the note itself reads and writes.
func TestCodeSinceLeavesOut(t *testing.T) {
	if s := codeSince(t.Context(), nil, "."); s.Untold != "" || len(s.Changed)+len(s.New) > 0 {
		t.Errorf("nothing was in git, and yet %+v", s)
	}
	folder := t.TempDir()
	put(t, filepath.Join(folder, "worker.py"), "charge()\n")
	for _, words := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "first"}} {
		if text, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	shop := filepath.Join(folder, "shop.db")
	large := func(size int64) {
		t.Helper()
		put(t, shop, "rows")
		if err := os.Truncate(shop, size); err != nil {
			t.Fatal(err)
		}
	}
	large(largestCode + 1)
	tree := treeOf(t.Context(), folder, filepath.Join(folder, evidenceName))
	large(largestCode + 2)
	for _, name := range []string{"evidence/other.job/result.json", "note.html", "doctor.json"} {
		put(t, filepath.Join(folder, name), "new")
	}
	without := []string{filepath.Join(folder, evidenceName), filepath.Join(folder, "note.html"), filepath.Join(folder, "doctor.json"), ""}
	if s := codeSince(t.Context(), tree, folder, without...); s.Untold != "" || len(s.Changed)+len(s.New) > 0 {
		t.Errorf("%+v", s)
	}
	var seen note.Since
	if seen = codeSince(t.Context(), tree, folder); len(seen.New) != 3 { // the control
		t.Errorf("%+v", seen)
	}
}
