package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/replay"
)

func seenOnce(names ...string) replay.Outcome {
	out := replay.Outcome{Histories: map[string][]replay.Event{}, Logs: map[string]string{}}
	for _, name := range names {
		out.Histories[name] = []replay.Event{{Event: replay.EventSent, Operation: name}, {Event: replay.EventSeen, Seen: &replay.Seen{When: replay.SeenEnd, Effects: 1}}}
		out.Logs[name] = "== worker A\nready\n"
	}
	return out
}

func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			names = append(names, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEvidence(t *testing.T) {
	e := Evidence{Folder: filepath.Join(t.TempDir(), "evidence", "charge.create")}
	plan := replay.Plan{Schema: replay.PlanSchema, Job: "charge.create", Cases: []replay.Planned{{Version: "new", Case: "sequential"}}}
	if err := e.WritePlan(plan); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, e.Folder); !slices.Equal(got, []string{"plan.json"}) {
		t.Errorf("before the first worker there is %v", got)
	}
	if err := e.WriteHistories(seenOnce("old/sequential", "new/sequential")); err != nil {
		t.Fatal(err)
	}
	// A later replay without the old code leaves nothing of the earlier one.
	if err := e.WriteHistories(seenOnce("new/sequential")); err != nil {
		t.Fatal(err)
	}
	if err := e.WriteReports(fixed()); err != nil {
		t.Fatal(err)
	}
	want := []string{"histories/new-sequential.jsonl", "junit.xml", "logs/new-sequential.log", "plan.json", "report.md", "result.json"}
	if got := filesIn(t, e.Folder); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var back replay.Plan
	text, err := os.ReadFile(filepath.Join(e.Folder, "plan.json"))
	if err != nil || json.Unmarshal(text, &back) != nil || back.Job != plan.Job || back.Cases[0].Case != "sequential" {
		t.Errorf("the plan comes back as %+v, %v", back, err)
	}
	lines, err := os.ReadFile(filepath.Join(e.Folder, "histories", "new-sequential.jsonl"))
	if err != nil || bytes.Count(lines, []byte("\n")) != 2 {
		t.Errorf("the history: %s, %v", lines, err)
	}
}

// A write that fails leaves the file as it was, and nothing half-written.
func TestEvidenceIsWrittenWhole(t *testing.T) {
	e := Evidence{Folder: t.TempDir()}
	if err := e.write("result.json", []byte("first")); err != nil {
		t.Fatal(err)
	}
	// A folder in the way of the unfinished file stands for a disk that is full.
	if err := os.Mkdir(filepath.Join(e.Folder, "result.json.unfinished"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := e.write("result.json", []byte("second")); err == nil {
		t.Error("no error")
	}
	if text, err := os.ReadFile(filepath.Join(e.Folder, "result.json")); err != nil || string(text) != "first" {
		t.Errorf("%s, %v", text, err)
	}
	if got := filesIn(t, e.Folder); !slices.Equal(got, []string{"result.json"}) {
		t.Errorf("left: %v", got)
	}
}

func TestEvidenceFolderIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := Evidence{Folder: path}
	for _, err := range []error{e.WritePlan(replay.Plan{}), e.WriteHistories(seenOnce("new/sequential")), e.WriteReports(fixed())} {
		if err == nil {
			t.Error("no error")
		}
	}
}
