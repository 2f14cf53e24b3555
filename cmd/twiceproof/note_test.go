package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// noteFolder is the example's job with the evidence of a replay.
func noteFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	evidence := filepath.Join(folder, "evidence", "charge.create")
	if err := os.CopyFS(evidence, os.DirFS("../../note/testdata/sqs-charge")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../examples/sqs-charge/twiceproof.yaml")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "twiceproof.yaml"), string(text))
	return folder
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// replaced changes one piece of a file, which must be there.
func replaced(t *testing.T, path, old, fresh string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	put(t, path, strings.Replace(string(text), old, fresh, 1))
}

// noted is what a note says of the files of a person, after a change to them.
type noted struct {
	change    func(t *testing.T, folder string)
	args      []string
	status    int
	out, said string
}

const noteOf = "evidence/charge.create/"

// Each exit status, from the files that a person has.
func TestNoteStatuses(t *testing.T) {
	saysOf(t, map[string]noted{
		"shown": {nil, nil, 0, "**Shown by replay**", ""},
		"HTML":  {nil, []string{"--format", "html"}, 0, "<b>Shown by replay</b>", ""},
		"JSON":  {nil, []string{"--json"}, 0, `"shown": "yes"`, ""},
		"another key now": {func(t *testing.T, f string) {
			replaced(t, f+"/twiceproof.yaml", "[body.order.id]", "[body.order.id, body.currency]")
		}, nil, 1, "**Not shown.**", "error: not shown: the job file has changed since the replay: its operation key"},
		"another lease": {func(t *testing.T, f string) { replaced(t, f+"/twiceproof.yaml", "lease: 2m", "lease: 3m") }, nil, 1, "**Not shown.**", "its lease is 3m, and 2m was replayed"},
		"another fingerprint": {func(t *testing.T, f string) {
			replaced(t, f+"/twiceproof.yaml", "[body.amount_cents, body.currency]", "[body.amount_cents]")
		}, nil, 1, "**Not shown.**", "its fingerprint is body.amount_cents, and body.amount_cents, body.currency was replayed"},
		"a plan without a key": {func(t *testing.T, f string) { replaced(t, f+"/"+noteOf+"plan.json", `"key"`, `"other"`) }, nil, 1, "**Not shown.**", "does not say which operation key"},
		"no plan":              {func(t *testing.T, f string) { _ = os.Remove(f + "/" + noteOf + "plan.json") }, nil, 3, "**Could not be told.**", "no plan.json"},
		"a part": {func(t *testing.T, f string) {
			if err := os.Rename(f+"/evidence/charge.create", f+"/evidence/only"); err != nil {
				t.Fatal(err)
			}
		}, []string{"--evidence", "evidence/only"}, 3, "**Could not be told.**", "of a part of a replay"},
		"a platform that voids it": {func(t *testing.T, f string) {
			put(t, f+"/doctor.json", `{"schema":"twiceproof.doctor/1","findings":[{"id":"sqlite.network","severity":"repeats","subject":"records.db","what":"NFS","mend":"move it","voids":true}],"could_not_check":[]}`)
		}, []string{"--doctor", "doctor.json"}, 1, "**Not shown.**", "nothing that a replay showed holds there"},
		"no evidence": {func(t *testing.T, f string) { _ = os.RemoveAll(f + "/evidence") }, nil, 2, "", "error: there is no evidence of a replay of charge.create"},
		"broken JSON": {func(t *testing.T, f string) { put(t, f+"/"+noteOf+"result.json", "{") }, nil, 2, "", "result.json cannot be used: it is no sound JSON"},
		"an unknown schema": {func(t *testing.T, f string) {
			replaced(t, f+"/"+noteOf+"result.json", "twiceproof.replay/1", "twiceproof.replay/9")
		}, nil, 2, "",
			`its schema is "twiceproof.replay/9", and this version reads twiceproof.replay/1`},
		"two jobs": {func(t *testing.T, f string) {
			text, _ := os.ReadFile(f + "/twiceproof.yaml")
			_, job, _ := strings.Cut(string(text), "  charge.create:")
			put(t, f+"/twiceproof.yaml", string(text)+"\n  charge.other:"+job)
		}, nil, 2, "", "hint: name one with --job; it has charge.create, charge.other"},
		"no such job":    {nil, []string{"--job", "charge.creat"}, 2, "", "did you mean charge.create?"},
		"no job file":    {nil, []string{"--file", "none.yaml"}, 2, "", "none.yaml: no such file"},
		"no such format": {nil, []string{"--format", "pdf"}, 2, "", "hint: write markdown or html"},
		"no note there":  {nil, []string{"--out", "twiceproof.yaml"}, 2, "", "twiceproof.yaml is there already, and is not overwritten"},
	})
}

// What was stored counts, and not what somebody has made of it.
func TestNoteOfChangedEvidence(t *testing.T) {
	saysOf(t, map[string]noted{
		"a history that shows a repeat": {func(t *testing.T, f string) {
			replaced(t, f+"/"+noteOf+"histories/new-killed_after_effect.jsonl", `"when":"end","effects":1`, `"when":"end","effects":2`)
		}, nil, 1, "**Not shown.**", "new/killed_after_effect: result.json says ok, and its history, judged again, duplicate: 2 effects, permitted 1"},
		"a history that is gone": {func(t *testing.T, f string) { _ = os.Remove(f + "/" + noteOf + "histories/new-shutdown.jsonl") }, nil, 1, "**Not shown.**",
			"new/shutdown: result.json says ok, which its history does not show: it was planned, and there is no history of it"},
		"a history that was cut": {func(t *testing.T, f string) {
			if err := os.Truncate(f+"/"+noteOf+"histories/new-sequential.jsonl", 200); err != nil {
				t.Fatal(err)
			}
		}, nil, 1, "**Not shown.**", "new/sequential: result.json says ok, which its history does not show: evidence cannot be read: histories/new-sequential.jsonl, line"},
		"a history that is a pipe": {func(t *testing.T, f string) {
			path := f + "/" + noteOf + "histories/new-sequential.jsonl"
			if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, nil, 1, "**Not shown.**", "new-sequential.jsonl is no regular file"},
		"a history of another replay": {func(t *testing.T, f string) {
			replaced(t, f+"/"+noteOf+"histories/new-sequential.jsonl", `"ms":`, `"ms":1`)
		}, nil, 1, "**Not shown.**", "not as the replay left it is histories/new-sequential.jsonl"},
		"a verdict edited by hand": {func(t *testing.T, f string) {
			text, _ := os.ReadFile(f + "/" + noteOf + "result.json")
			put(t, f+"/"+noteOf+"result.json", strings.ReplaceAll(string(text), `"verdict":"violation","kind":"duplicate"`, `"verdict":"ok","kind":""`))
		}, nil, 1, "**Not shown.**", "old/sequential: result.json says ok, and its history, judged again, duplicate: 4 effects, permitted 1"},
	})
}

func saysOf(t *testing.T, cases map[string]noted) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			folder := noteFolder(t)
			t.Chdir(folder)
			if c.change != nil {
				c.change(t, folder)
			}
			var out, said bytes.Buffer
			status := run(t.Context(), append([]string{"note"}, c.args...), stdio{strings.NewReader(""), &out, &said})
			if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(said.String(), c.said) {
				t.Errorf("exit status %d, want %d; it said:\n%s%s", status, c.status, out.String(), said.String())
			}
			if c.status == 2 && out.Len() > 0 {
				t.Errorf("bad input, and a page:\n%s", out.String())
			}
		})
	}
}

// A note that is there may be signed.
func TestNoteIsNeverOverwritten(t *testing.T) {
	t.Chdir(noteFolder(t))
	for _, want := range []int{0, 2} {
		var out, said bytes.Buffer
		if status := run(t.Context(), []string{"note", "--format", "html", "--out", "note.html"}, stdio{strings.NewReader(""), &out, &said}); status != want || out.Len() > 0 {
			t.Fatalf("exit status %d, want %d: %s%s", status, want, out.String(), said.String())
		}
		text, err := os.ReadFile("note.html")
		if err != nil || want == 0 && !bytes.HasPrefix(text, []byte("<!DOCTYPE html>")) || want == 2 && string(text) != "signed" {
			t.Errorf("got %.60s, %v", text, err)
		}
		put(t, "note.html", "signed")
	}
}
