package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// The permitted ends of every case and version, at each moment that a fault may
// find, for every policy: read the difference before it is agreed to.
func TestPlan(t *testing.T) {
	var text bytes.Buffer
	order, err := job.ParsePath("body.order.id")
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []job.Policy{job.Lookup, job.Resend, job.Hold, job.AcceptDuplicate, job.AcceptMiss} {
		j := job.Job{
			Type: "charge.create", Queue: job.SQS, Effect: job.Effect{Kind: job.Outside},
			Lease: lease, Stale: job.Stale{Policy: policy}, Operation: job.Operation{Key: []job.Path{order}},
		}
		p := NewPlan(j, "as agreed", &jobfile.Replay{
			Versions: []jobfile.CodeVersion{{Name: "old"}, {Name: "new", Guarded: true}}, ConcurrentRuns: 100,
			Database: jobfile.Database{Kind: jobfile.Postgres}, Backfill: "backfill.sql", Sweep: "sweep", Enqueue: []string{"enqueue {{key}}"},
		}, judge.Durable)
		if p.Schema != judge.PlanSchema || p.Job != j.Type || p.Policy != string(policy) || p.PolicyText != "as agreed" || p.LeaseMS != lease.Milliseconds() ||
			!slices.Equal(p.Key, []string{"body.order.id"}) || p.Fingerprint != nil {
			t.Errorf("%s: the head of the plan: %+v", policy, p)
		}
		if len(p.Cases) != 2*len(CasesOf(job.SQS)) {
			t.Errorf("%s: %d cases, want every case for both versions", policy, len(p.Cases))
		}
		for _, c := range p.Cases {
			fmt.Fprintf(&text, "%-16s %s/%s runs %d", policy, c.Version, c.Label(), c.Runs)
			if c.Fault != "" {
				fmt.Fprintf(&text, ", fault: %s", c.Fault)
			}
			if c.NotApplicable != "" {
				fmt.Fprintf(&text, ", not applicable: %s", c.NotApplicable)
			}
			text.WriteString("\n")
			for _, permitted := range c.Permitted {
				fmt.Fprintf(&text, "    %-26s %s\n", momentText(permitted.At), endsTold(permitted.Ends))
			}
		}
	}
	golden.Check(t, "testdata/plan.txt", text.Bytes())
}

const lease = 2 * time.Minute

func endsTold(ends []job.End) string {
	texts := make([]string, len(ends))
	for i, e := range ends {
		texts[i] = strings.TrimSpace(fmt.Sprintf("%d %s", e.Effects, e.State))
	}
	return strings.Join(texts, " or ")
}

func momentText(m job.Moment) string {
	var words []string
	for _, part := range []struct {
		is   bool
		word string
	}{{m.Claimed, "claimed"}, {m.Effect, "effect"}, {m.Completed, "completed"}} {
		if part.is {
			words = append(words, part.word)
		}
	}
	if words == nil {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

func TestOnly(t *testing.T) {
	cases := []judge.Planned{
		{Version: "old", Case: "sequential"}, {Version: "new", Case: "sequential"},
		{Version: "old", Case: "concurrent"}, {Version: "new", Case: "concurrent"},
	}
	for _, c := range []struct{ names, want string }{
		{"", "old/sequential new/sequential old/concurrent new/concurrent"},
		{"sequential", "old/sequential new/sequential"},
		{"new/concurrent", "new/concurrent"},
		{"new/concurrent old/sequential", "old/sequential new/concurrent"}, // the plan's order
		{"new/sequential sequential new/sequential", "old/sequential new/sequential"},
	} {
		kept, err := only(cases, strings.Fields(c.names))
		var names []string
		for _, k := range kept {
			names = append(names, k.Version+"/"+k.Case)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("only %q: got %s, %v; want %s", c.names, got, err, c.want)
		}
	}
	if len(cases) != 4 {
		t.Error("only changed the plan that it was given")
	}
	for name, hint := range map[string]string{
		"sequentia": "did you mean sequential?", "new/concurent": "did you mean concurrent?", "sequ": "did you mean sequential?",
		"n":                "did you mean sequential, concurrent?",
		"newer/sequential": "the cases are sequential, concurrent", "new": "the cases are sequential, concurrent",
		"new/": "the cases are sequential, concurrent", "": "the cases are sequential, concurrent",
	} {
		_, err := only(cases, []string{"concurrent", name})
		if p, ok := err.(*hinted.Error); !ok || p.Hint != hint {
			t.Errorf("only %q: %+v, want %q", name, err, hint)
		}
	}
}

// A case stands for all its points, and a point can be named by itself.
func TestOnlyPoints(t *testing.T) {
	cases := []judge.Planned{
		{Version: "old", Case: "young_claim"}, {Version: "old", Case: "young_claim", Point: "paused"},
		{Version: "new", Case: "young_claim"}, {Version: "new", Case: "young_claim", Point: "paused"},
	}
	for name, want := range map[string]string{
		"young_claim":            "old/young_claim old/young_claim/paused new/young_claim new/young_claim/paused",
		"young_claim/paused":     "old/young_claim/paused new/young_claim/paused",
		"new/young_claim":        "new/young_claim new/young_claim/paused",
		"new/young_claim/paused": "new/young_claim/paused",
		"young_claim/":           "old/young_claim new/young_claim",
		"new/young_claim/":       "new/young_claim",
	} {
		kept, err := only(cases, []string{name})
		var names []string
		for _, k := range kept {
			names = append(names, k.Version+"/"+k.Label())
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("only %q: got %s, %v; want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"paused", "young_claim//", "new/paused", "young_claim/asleep"} {
		if _, err := only(cases, []string{name}); err == nil {
			t.Errorf("only %q: no error", name)
		}
	}
}

// The name that a report gives for a rerun is that of its case alone.
func TestOnlyNameIsOfOneCase(t *testing.T) {
	var cases []judge.Planned
	for _, c := range CasesOf(job.SQS) {
		cases = append(cases, judge.Planned{Version: "old", Case: c.Name, Point: c.Point}, judge.Planned{Version: "new", Case: c.Name, Point: c.Point})
	}
	for _, c := range cases {
		if kept, err := only(cases, []string{c.Version + "/" + onlyName(job.SQS, c)}); err != nil || len(kept) != 1 || kept[0].Label() != c.Label() {
			t.Errorf("%s: %v, %v", onlyName(job.SQS, c), kept, err)
		}
	}
}

// One case is about workers with processes below them alone.
func TestPlanOfOneQueue(t *testing.T) {
	few := len(CasesOf(job.SQS))
	for queue, more := range map[job.Queue]int{job.Sidekiq: 0, job.Celery: 1, job.RQ: 1} {
		if all := len(CasesOf(queue)); all != few+more {
			t.Errorf("%d cases of SQS, %d of %s", few, all, queue)
		}
	}
}
