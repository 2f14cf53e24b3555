package note

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

const tool = "v0.1.0"

func paths2(t *testing.T, texts ...string) (list []job.Path) {
	t.Helper()
	for _, text := range texts {
		p, err := job.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// charge is a job whose effect can be looked up.
func charge(t *testing.T) job.Job {
	t.Helper()
	return job.Job{
		Type: "charge.create", Queue: job.SQS, Message: "charges",
		Operation: job.Operation{Key: paths2(t, "body.order.id"), Repeat: "The same order is one operation.", Fingerprint: paths2(t, "body.amount_cents")},
		Effect:    job.Effect{Kind: job.Outside, What: "a charge at the payment service"}, LongestRun: 40 * time.Second, Lease: 2 * time.Minute,
		Stale: job.Stale{Policy: job.Lookup, Settle: 30 * time.Second}, StoreMessage: true, Retention: 45 * 24 * time.Hour,
	}
}

// shown is the evidence of a replay in which everything that this version knows was ok
// for the new code, and the old code repeated.
func shown(j job.Job) Input {
	r := report.Report{
		Schema: report.Schema, GeneratedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), ToolVersion: tool, Complete: true,
		Tree: &report.Tree{Commit: strings.Repeat("0123456789", 4)}, Job: j.Type, Queue: string(j.Queue), Database: "postgres",
		Policy: string(j.Stale.Policy), PolicyText: jobfile.Explain(j), LeaseMS: j.Lease.Milliseconds(), StoredLeaseMS: j.StoredLease().Milliseconds(),
		Judged: "new", Verdict: judge.OK,
	}
	p := judge.Plan{Schema: judge.PlanSchema, Job: j.Type, Policy: r.Policy, PolicyText: r.PolicyText, LeaseMS: r.LeaseMS, Key: texts(j.Operation.Key), Fingerprint: texts(j.Operation.Fingerprint),
		Message: j.Message, StoreMessage: j.StoreMessage, Table: "idempotency_records"}
	for _, c := range replay.CasesOf(j.Queue) {
		old := judge.Result{Version: "old", Case: c.Name, Point: c.Point, Runs: 1, Operations: 1, Verdict: judge.Verdict{Verdict: judge.Violation, Kind: judge.Duplicate, Why: "2 effects"}, Effects: 2, EffectsMin: 2, EffectsMax: 2}
		r.Results = append(r.Results, old, fine(j, c))
		p.Cases = append(p.Cases, judge.Planned{
			Version: "new", Guarded: true, Case: c.Name, Point: c.Point, LeaseMS: r.LeaseMS, LongestRunMS: j.LongestRun.Milliseconds(),
			Permitted: []judge.Permitted{{At: job.Moment{Claimed: true, Effect: true}, Ends: j.Ends(job.Moment{Claimed: true, Effect: true})}},
		})
	}
	r.Files = map[string]string{"plan.json": "its digest"}
	return Input{
		Job: j, Table: p.Table, JobFile: "twiceproof.yaml", Version: tool, Report: r, Plan: &p, Again: slices.Clone(r.Results),
	}
}

func fine(j job.Job, c replay.Case) judge.Result {
	r := judge.Result{
		Version: "new", Guarded: true, Case: c.Name, Point: c.Point, Runs: 1, Operations: 1, Verdict: judge.Verdict{Verdict: judge.OK},
		Effects: 1, EffectsMin: 1, EffectsMax: 1, Records: 1, State: job.EndCompleted,
	}
	switch c.Name {
	case "concurrent":
		r.Runs, r.Overlapped = 103, 100
	case "two_operations":
		r.Operations = 6
	case "young_claim", "old_claim":
		r.ClaimAgeMS, r.LeaseMS = 37_774, j.StoredLease().Milliseconds()
		if j.Effect.Kind == job.OwnRow && c.Point == "" {
			r = judge.Result{Version: "new", Guarded: true, Case: c.Name, Verdict: judge.Verdict{Verdict: judge.NotApplicable, Why: "an own row's record is born completed"}}
		}
	}
	return r
}

// change changes what a case of the judged version showed: its history and its result.
func (in Input) change(label string, by func(*judge.Result)) Input {
	in.Report.Results, in.Again = changed(in.Report.Results, in.Report.Judged, label, by), changed(in.Again, in.Report.Judged, label, by)
	return in
}

// edit changes the result alone, as somebody does by hand.
func (in Input) edit(label string, by func(*judge.Result)) Input {
	in.Report.Results = changed(in.Report.Results, in.Report.Judged, label, by)
	return in
}

func changed(results []judge.Result, version, label string, by func(*judge.Result)) []judge.Result {
	results = slices.Clone(results)
	for i, r := range results {
		if r.Version == version && r.Label() == label {
			by(&results[i])
		}
	}
	return results
}

// without leaves cases out.
func (in Input) without(keep func(judge.Result) bool) Input {
	in.Report.Results = slices.DeleteFunc(slices.Clone(in.Report.Results), func(r judge.Result) bool { return !keep(r) })
	in.Again = slices.Clone(in.Report.Results)
	return in
}

func hold(t *testing.T) job.Job {
	j := charge(t)
	j.Stale = job.Stale{Policy: job.Hold}
	return j
}

func ownRow(t *testing.T) job.Job {
	j := charge(t)
	j.Effect.Kind, j.Stale = job.OwnRow, job.Stale{}
	return j
}
