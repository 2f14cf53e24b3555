package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// Two replays in a row say the same, though the second one has three slots and runs
// first what failed in the first, and each says it again when its evidence is read back
// and judged.
func TestTwoReplaysSayTheSame(t *testing.T) {
	t.Setenv("WORKERS", workers)
	for _, policy := range []string{"lookup", "hold"} {
		evidence := t.TempDir()
		first, plan := replayInto(t, evidence, policy, "1")
		if plan.First != nil {
			t.Errorf("%s: the first one was to begin with %q", policy, plan.First)
		}
		second, plan := replayInto(t, evidence, policy, "3")
		if len(plan.First) == 0 || !strings.HasPrefix(plan.First[0], "old/") {
			t.Errorf("%s: the second one was to begin with %q", policy, plan.First)
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%s: first %+v\nthen %+v", policy, first, second)
		}
	}
}

func replayInto(t *testing.T, evidence, policy, slots string) (report.Report, judge.Plan) {
	t.Helper()
	job := t.TempDir()
	if err := os.CopyFS(job, os.DirFS("testdata/job")); err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("../../examples/sqs-charge/schema.sqlite.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(job, "schema.sql"), schema, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if status := run(t.Context(), []string{"replay", "--json", "--policy", policy, "--slots", slots, "--evidence", evidence, job}, stdio{nil, &out, io.Discard}); status != statusGood {
		t.Fatalf("exit status %d: %s", status, out.String())
	}
	evidence = filepath.Join(evidence, "policy-"+policy)
	r := readJSON[report.Report](t, filepath.Join(evidence, "result.json"))
	plan := readJSON[judge.Plan](t, filepath.Join(evidence, "plan.json"))
	if len(plan.Cases) != len(r.Results) {
		t.Fatalf("%d cases planned, %d results", len(plan.Cases), len(r.Results))
	}
	for i, p := range plan.Cases {
		var events []judge.Event // a case that does not apply has no history
		if p.NotApplicable == "" {
			events = readHistory(t, filepath.Join(evidence, "histories", p.Version+"-"+strings.ReplaceAll(p.Label(), "/", "-")+".jsonl"))
		}
		judged := judge.NewResult(p, events)
		judged.Rerun = r.Results[i].Rerun
		if !reflect.DeepEqual(judged, r.Results[i]) {
			t.Errorf("%s/%s: the evidence says %+v\nthe report %+v", p.Version, p.Case, judged, r.Results[i])
		}
		normalise(&r.Results[i])
	}
	r.GeneratedAt, r.Files = time.Time{}, nil // each history has its own times
	delete(r.Platform, "slots")
	return r, plan
}

// normalise takes away what no two runs have in common: milliseconds, folders, and
// the races that were no race.
func normalise(r *judge.Result) {
	r.ClaimAgeMS, r.Rerun, r.Facts = 0, "", nil
	if r.Case == "unknown_outcome" { // its worker may have given up by the time of the look
		r.LeaseMS = 0
	}
	if r.Runs > 1 {
		r.Runs, r.Overlapped = 0, 0
	}
}

func readJSON[T any](t *testing.T, path string) (value T) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func readHistory(t *testing.T, path string) (events []judge.Event) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e judge.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}
