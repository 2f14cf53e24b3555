package fit

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// Whatever fits gets a job file that is read without an error, and that says what was
// answered; what nobody answered is marked in it.
func TestJobFilesLoad(t *testing.T) {
	n := 0
	for _, a := range allFitting() {
		d := decided(t, a)
		text := d.WriteJob()
		file, err := jobfile.Parse("twiceproof.yaml", text)
		if err != nil {
			t.Fatalf("%v: %v\n%s", a, err, text)
		}
		if got := file.Jobs[0]; !reflect.DeepEqual(got, d.Job) || file.Table != jobfile.DefaultTable {
			t.Errorf("got %+v, want %+v\n%s", got, d.Job, text)
		}
		if marks := strings.Count(string(text), "# fill in: "); marks != len(d.ToFillIn) {
			t.Errorf("%d marks for %v in\n%s", marks, d.ToFillIn, text)
		}
		n++
	}
	if n < 100 {
		t.Errorf("only %d job files were read", n)
	}
}

// allFitting are answers of every kind of job that fits, with all that may be left open
// open, and with none.
func allFitting() []Answers {
	var all []Answers
	for queue, paths := range map[string][2]string{
		"sqs": {`body["order id"], attributes.tenant`, `body["amount in cents"]`}, "celery": {"kwargs.order_id", "kwargs.amount, args[0]"}, "sidekiq": {"args[0].id", "args[0].amount"},
	} {
		for _, run := range []string{"", "40s", "7h"} {
			for _, effect := range []Answers{
				{"effect": "own_row"},
				{"effect": "outside", "lookup": "yes"},
				{"effect": "outside", "lookup": "yes", "settle": "1m30s"},
				{"effect": "outside", "lookup": "no", "reference": "yes"},
				{"effect": "outside", "lookup": "no", "reference": "yes", "reference_window": "30d"},
				{"effect": "outside", "lookup": "no", "reference": "no", "policy": "hold"},
				{"effect": "outside", "lookup": "no", "reference": "no", "policy": "accept_duplicate"},
				{"effect": "outside", "lookup": "no", "reference": "no", "policy": "accept_miss"},
				{"effect": "outside", "lookup": "no", "reference": "no", "policy": "undecided"},
			} {
				for _, open := range []bool{true, false} {
					a := fitting().with("queue", queue, "key", paths[0], "fingerprint", paths[1], "longest_run", run, "lookup", "", "settle", "")
					if open {
						a = a.with("key", "", "fingerprint", "", "job", "", "message", "", "repeat", "", "what", "")
					}
					for id, value := range effect {
						a[id] = value
					}
					all = append(all, withoutUnused(a))
				}
			}
		}
	}
	return all
}

// What a person types stays what it is, whatever YAML would make of it.
func TestJobFileKeepsAnyText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.OneOf(
			rapid.SampledFrom([]string{"yes", "null", "1.5", "~", "a: b", "# c", "- d", "&e", "*f", "!g", "{h}", "[i]", "%j", "'k", `"l`, `m\n`, "@n", "`o", "ü", "\u2028", "1e3", "0x1", "<<", "=", ".inf"}),
			rapid.StringMatching(`[!-~]([ -~]{0,30}[!-~])?`),
		)
		a := fitting().with("job", words.Draw(rt, "job"), "message", words.Draw(rt, "message"), "repeat", words.Draw(rt, "repeat"), "what", words.Draw(rt, "what"))
		d, err := Decide(a)
		if err != nil {
			rt.Fatal(err)
		}
		file, err := jobfile.Parse("twiceproof.yaml", d.WriteJob())
		if err != nil {
			rt.Fatalf("%v\n%s", err, d.WriteJob())
		}
		got := file.Jobs[0]
		if got.Type != a["job"] || got.Message != a["message"] || got.Operation.Repeat != a["repeat"] || got.Effect.What != a["what"] {
			rt.Fatalf("got %+v from\n%s", got, d.WriteJob())
		}
	})
}

// The examples' own job files have the lease and the retention that would be proposed.
func TestExamplesHaveWhatIsProposed(t *testing.T) {
	for _, example := range []string{"sqs-charge", "sqs-charge-row", "sqs-mail"} {
		file, err := jobfile.Load("../examples/" + example + "/twiceproof.yaml")
		if err != nil {
			t.Fatal(err)
		}
		j := file.Jobs[0]
		if retention, _ := Retention(j.Queue); j.Lease != SuggestLease(j.LongestRun) || j.Retention != retention || j.Queue != job.SQS {
			t.Errorf("%s has %s and %s", example, j.Lease, j.Retention)
		}
	}
}
