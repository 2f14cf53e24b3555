package note

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// The examples, of which testdata has the evidence of a replay. Of the histories, which
// only the command reads, there are those of sqs-charge, without what changes no verdict.
// It says v0.1.0, so that a case that is added later is a remark and no doubt; the tests
// leave the remark out.
var examples = []string{"sqs-charge", "sqs-charge-row", "sqs-mail"}

func exampleInput(t *testing.T, example string) Input {
	t.Helper()
	file, err := jobfile.Load("../examples/" + example + "/twiceproof.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Job: file.Jobs[0], Table: file.Table, JobFile: "twiceproof.yaml", Version: "v0.2.0"}
	if in.Report, err = ReadReport(testdata(t, example+"/result.json")); err != nil {
		t.Fatal(err)
	}
	plan, err := ReadPlan(testdata(t, example+"/plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	in.Plan, in.Again = &plan, slices.Clone(in.Report.Results)
	return in
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ofThatTime is the note as it was when these cases were all that there were.
func ofThatTime(in Input) Note {
	n := New(in)
	n.Remarks = settingsOf(in)
	return n
}

func TestGolden(t *testing.T) {
	notes := map[string]Note{}
	for _, example := range examples {
		notes[example] = ofThatTime(exampleInput(t, example))
		if notes[example].Shown != Yes {
			t.Errorf("%s: %+v", example, notes[example].Doubts)
		}
	}
	broken := exampleInput(t, "sqs-mail").change("killed_after_effect", func(r *judge.Result) {
		r.Verdict = judge.Verdict{Verdict: judge.Violation, Kind: judge.Duplicate, Why: "2 effects, permitted 1"}
		r.Effects, r.EffectsMax = 2, 2
	}).change("shutdown", func(r *judge.Result) {
		r.Verdict = judge.Verdict{Verdict: judge.Unknown, Why: "the fault did not fire"}
	})
	broken.Job.Retention = 0
	broken.Doctor = &Doctor{
		LookedAt:      []Source{{"queue"}},
		Findings:      []Finding{{ID: "sqs.visibility", Severity: "repeats", Subject: "receipts"}},
		CouldNotCheck: []Gap{{ID: "database", Reason: "no address"}},
	}
	notes["broken"] = ofThatTime(broken)
	untold := exampleInput(t, "sqs-charge")
	untold.Plan.Key = nil
	notes["untold"] = ofThatTime(untold)
	for name, n := range notes {
		result, err := json.MarshalIndent(n.Result(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/"+name+".md", []byte(markdown(t, n)))
		golden.Check(t, "testdata/"+name+".html", []byte(html(t, n)))
		golden.Check(t, "testdata/"+name+".json", append(result, '\n'))
	}
}
