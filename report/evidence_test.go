package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

func seenOnce(version, name string) replay.Kept {
	return replay.Kept{
		Planned: judge.Planned{Version: version, Case: name}, Log: "== worker A\nready\n", Result: &judge.Result{},
		Events: []judge.Event{{Event: judge.EventSent}, {Event: judge.EventSeen, Seen: &judge.Seen{When: judge.SeenEnd, Effects: 1}}},
	}
}

func planOf(cases ...string) judge.Plan {
	p := judge.Plan{Schema: judge.PlanSchema, Job: "charge.create"}
	for _, c := range cases {
		version, name, _ := strings.Cut(c, "/")
		p.Cases = append(p.Cases, judge.Planned{Version: version, Case: name})
	}
	return p
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

func wantFiles(t *testing.T, e Evidence, want ...string) {
	t.Helper()
	if got := filesIn(t, e.Folder); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestEvidence(t *testing.T) {
	e := Evidence{Folder: filepath.Join(t.TempDir(), "evidence", "charge.create")}
	plan := planOf("old/sequential", "new/sequential")
	noError(t, e.Start(plan))
	wantFiles(t, e, "plan.json")
	noError(t, e.WriteIncomplete(fixed()))
	noError(t, e.WriteCase(seenOnce("old", "sequential")))
	wantFiles(t, e, "histories/old-sequential.jsonl", "incomplete.json", "logs/old-sequential.log", "plan.json")
	noError(t, e.WriteCase(seenOnce("new", "sequential")))
	noError(t, e.WriteCase(replay.Kept{Planned: judge.Planned{Version: "old", Case: "lost_reply"}})) // it does not apply
	noError(t, e.WriteReports(fixed(), nil))
	wantFiles(t, e, "histories/new-sequential.jsonl", "histories/old-sequential.jsonl", "junit.xml",
		"logs/new-sequential.log", "logs/old-sequential.log", "plan.json", "report.html", "report.md", "result.json")

	var back judge.Plan
	text, err := os.ReadFile(filepath.Join(e.Folder, "plan.json"))
	if err != nil || json.Unmarshal(text, &back) != nil || back.Job != plan.Job || back.Cases[0].Case != "sequential" {
		t.Errorf("the plan comes back as %+v, %v", back, err)
	}
	lines, err := os.ReadFile(filepath.Join(e.Folder, "histories", "new-sequential.jsonl"))
	if err != nil || bytes.Count(lines, []byte("\n")) != 2 {
		t.Errorf("the history: %s, %v", lines, err)
	}
}

// A replay that begins leaves nothing of the one before, so that an interrupted one has
// no results beside its plan that are another's; and nothing else is touched.
func TestEvidenceOfEarlierReplayIsRemoved(t *testing.T) {
	e := Evidence{Folder: t.TempDir()}
	noError(t, e.Start(planOf("old/sequential", "new/sequential")))
	noError(t, e.WriteCase(seenOnce("old", "sequential")))
	noError(t, e.WriteCase(seenOnce("new", "sequential")))
	noError(t, e.WriteReports(fixed(), nil))
	noError(t, e.WriteIncomplete(fixed()))
	for _, name := range []string{"result.json.unfinished", "histories/old-sequential.jsonl.unfinished", "logs/shop.log", "histories/mine.jsonl"} {
		noError(t, os.WriteFile(filepath.Join(e.Folder, name), nil, 0o600))
	}
	noError(t, e.Start(planOf("new/concurrent")))
	wantFiles(t, e, "histories/mine.jsonl", "logs/shop.log", "plan.json")
}

// A plan that is not there, or no plan of ours, names nothing to remove.
func TestEvidenceBesideAnotherPlan(t *testing.T) {
	for _, text := range []string{"", "{", `{"schema": "else/1", "cases": [{"version": "mine", "case": "own"}]}`} {
		e := Evidence{Folder: t.TempDir()}
		noError(t, os.Mkdir(filepath.Join(e.Folder, "logs"), 0o700))
		noError(t, os.WriteFile(filepath.Join(e.Folder, "logs", "mine-own.log"), nil, 0o600))
		if text != "" {
			noError(t, os.WriteFile(filepath.Join(e.Folder, "plan.json"), []byte(text), 0o600))
		}
		noError(t, e.Start(planOf("new/sequential")))
		wantFiles(t, e, "logs/mine-own.log", "plan.json")
	}
}

// The results are written last: where another report cannot be, there are none, and
// what was seen so far stays marked as incomplete.
func TestResultsAreLast(t *testing.T) {
	for _, blocked := range []string{"report.md", "junit.xml"} {
		e := Evidence{Folder: t.TempDir()}
		noError(t, e.WriteIncomplete(fixed()))
		noError(t, os.Mkdir(filepath.Join(e.Folder, blocked+".unfinished"), 0o700))
		if e.WriteReports(fixed(), nil) == nil {
			t.Errorf("%s: no error", blocked)
		}
		if got := filesIn(t, e.Folder); slices.Contains(got, "result.json") || !slices.Contains(got, "incomplete.json") {
			t.Errorf("%s: there is %v", blocked, got)
		}
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
	for _, err := range []error{e.Start(judge.Plan{}), e.WriteCase(seenOnce("new", "sequential")), e.WriteIncomplete(fixed()), e.WriteReports(fixed(), nil)} {
		if err == nil {
			t.Error("no error")
		}
	}
}
