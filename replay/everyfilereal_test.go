//go:build linux

package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
)

// realFiles replays every_step with the worker of examples/sqs-charge/new, built with the
// control's change where one is named.
func realFiles(t *testing.T, rung judge.Rung, control string) (r judge.Result, places []judge.Strike) {
	t.Helper()
	spec, err := jobfile.LoadReplay("../examples/sqs-charge/" + jobfile.DefaultReplayName)
	if err != nil {
		t.Fatal(err)
	}
	spec.Versions = slices.DeleteFunc(spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name != "new" })
	spec.Versions[0].Build = "go build -o {out}/ ./new"
	text, err := os.ReadFile(spec.JobFilePath())
	if err != nil {
		t.Fatal(err)
	}
	file, err := jobfile.Parse(spec.JobFilePath(), text)
	if err != nil {
		t.Fatal(err)
	}
	j, err := spec.JobOf(file)
	if err != nil {
		t.Fatal(err)
	}
	request := Request{
		Spec: spec, Job: j, JobFileText: text, Table: file.Table, Only: []string{judge.EveryStep},
		Environ: append(os.Environ(), "GOFLAGS="+overlay(t, control)),
		Rerun:   plainRerun, Rung: rung,
	}
	plan, err := MakePlan(request)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), request, plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range judge.Strikes(plan.Cases[0], out.Histories["new/"+judge.EveryStep]) {
		if strings.Contains(run.Where, "fsync wal") {
			places = append(places, run)
		}
	}
	return out.Results[0], places
}

// overlay is the flag by which the go command takes the control's hunk for the file's own.
func overlay(t *testing.T, control string) string {
	t.Helper()
	if control == "" {
		return ""
	}
	text, err := os.ReadFile("../controls/" + control + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	head, hunk, _ := strings.Cut(string(text), "-- old --\n")
	before, after, _ := strings.Cut(hunk, "-- new --\n")
	_, name, _ := strings.Cut(head, "\nfile: ")
	path, err := filepath.Abs("../" + strings.TrimSpace(name))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), before) != 1 {
		t.Fatalf("%s: its old text does not stand once in %s", control, path)
	}
	folder := t.TempDir()
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{path: folder + "/changed.go"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"changed.go": strings.Replace(string(source), before, after, 1), "overlay.json": string(replaced)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "-overlay=" + folder + "/overlay.json"
}

// The guard's claim and its completion are writes of their own: none is seen half done.
func TestTheGuardAtItsFiles(t *testing.T) {
	t.Parallel()
	r, places := realFiles(t, judge.Durable, "")
	var seen []job.Moment
	for _, run := range places {
		seen = append(seen, momentAtFault(run.Events))
	}
	want := []job.Moment{{}, {Claimed: true}, {Claimed: true, Effect: true, Completed: true}}
	if r.Verdict.Verdict != judge.OK || !slices.Equal(seen, want) {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
}

// A worker that completes before it acts is caught after the write that completes.
func TestACompletionTooEarlyIsCaughtAtItsFile(t *testing.T) {
	t.Parallel()
	r, places := realFiles(t, judge.Durable, "completed_before_the_act")
	if !slices.ContainsFunc(places, func(run judge.Strike) bool { return run.Verdict.Kind == judge.Lost }) {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
}

// A worker that stands in a write keeps the lock: the next one cannot claim, and does not act.
// It gets no step further while it stands, and goes on afterwards.
func TestTheGuardStandsAtItsFiles(t *testing.T) {
	t.Parallel()
	r, places := realFiles(t, judge.Pause, "")
	if r.Verdict.Verdict != judge.OK || len(places) < 3 {
		t.Errorf("%d places: %+v\n%s", len(places), r.Verdict, strings.Join(r.Facts, "\n"))
	}
	locked := 0
	for _, run := range places {
		stood := slices.IndexFunc(run.Events, func(e judge.Event) bool { return e.Event == judge.EventStep && e.What == string(wire.Held) })
		woken := slices.IndexFunc(run.Events, func(e judge.Event) bool { return e.Event == judge.EventWorker && e.What == judge.WorkerWoken })
		if run.Missed != "" || stood < 0 || woken < stood {
			t.Fatalf("%s: missed %q, stood %d, woken %d", run.Where, run.Missed, stood, woken)
		}
		for _, e := range run.Events[stood+1 : woken] {
			if e.Event == judge.EventStep && e.Worker == run.Events[stood].Worker && e.What != string(wire.Reply) {
				t.Errorf("%s: %s %s while it stood", run.Where, e.What, e.Step)
			}
			if e.Seen != nil && e.Seen.When == judge.SeenDown {
				locked++
			}
		}
	}
	if locked == 0 {
		t.Error("nobody met the lock")
	}
}

// One that charges when it cannot claim is caught while the other one stands. A replay of
// SQLite has no other place for it: there is no connection that could be refused.
func TestActingWithoutTheFileIsCaught(t *testing.T) {
	t.Parallel()
	r, _ := realFiles(t, judge.Pause, "acts_without_database")
	if r.Verdict.Kind != judge.AgainstPolicy || !strings.Contains(r.Why, "acted without a claim") {
		t.Errorf("%+v\n%s", r.Verdict, strings.Join(r.Facts, "\n"))
	}
}

func momentAtFault(events []judge.Event) job.Moment {
	i := slices.IndexFunc(events, func(e judge.Event) bool { return e.Seen != nil && e.Seen.When == judge.SeenFault })
	return events[i].Seen.Moment()
}
