package note

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// The controls: everything was shown, for each kind of job.
func TestShown(t *testing.T) {
	for name, j := range map[string]job.Job{"lookup": charge(t), "hold": hold(t), "own row": ownRow(t)} {
		n := New(shown(j))
		if n.Shown != Yes || len(n.Doubts) > 0 {
			t.Errorf("%s: %s, %+v", name, n.Shown, n.Doubts)
		}
		page := markdown(t, n)
		if !strings.Contains(page, "**Shown by replay**") || !strings.Contains(page, "| confirmed |") || strings.Contains(page, "Not shown") {
			t.Errorf("%s: got\n%s", name, page)
		}
	}
}

// doubtful is an input with one reason not to believe the page, and what is said of it.
type doubtful struct {
	in   Input
	want Shown
	why  string
}

// notShown: each reason, one at a time, takes the word and the signatures away, and says
// what to do.
func notShown(t *testing.T, reasons map[string]doubtful) {
	t.Helper()
	for name, c := range reasons {
		t.Run(name, func(t *testing.T) {
			n := New(c.in)
			if n.Shown != c.want || !slices.ContainsFunc(n.Doubts, func(d Doubt) bool { return strings.Contains(d.Why, c.why) && d.Mend != "" }) {
				t.Fatalf("%s, %+v; want %s, %q", n.Shown, n.Doubts, c.want, c.why)
			}
			for _, page := range []string{markdown(t, n), html(t, n)} {
				if strings.Contains(page, "Shown by replay") || strings.Contains(page, "Merged after sign-off") {
					t.Errorf("it is called shown, or can be signed:\n%s", page)
				}
			}
		})
	}
}

func TestAnotherJobIsNotShown(t *testing.T) {
	changed := func(by func(*job.Job)) Input {
		in := shown(charge(t))
		by(&in.Job)
		return in
	}
	notShown(t, map[string]doubtful{
		"another policy":             {changed(func(j *job.Job) { j.Stale = job.Stale{Policy: job.Hold} }), No, "its policy for a stale claim is hold, and lookup was replayed"},
		"another lease":              {changed(func(j *job.Job) { j.Lease = 3 * time.Minute }), No, "its lease is 3m, and 2m was replayed"},
		"another settle time":        {changed(func(j *job.Job) { j.Stale.Settle = time.Minute }), No, "its lease in the record is 3m, and 2m30s was replayed"},
		"another budget":             {changed(func(j *job.Job) { j.Stale.MaxLookups = 2 }), No, "the policy's settings are others"},
		"another longest run":        {changed(func(j *job.Job) { j.LongestRun = 41 * time.Second }), No, "its longest run is 41s, and 40s was replayed"},
		"an own row now":             {changed(func(j *job.Job) { j.Effect.Kind, j.Stale = job.OwnRow, job.Stale{} }), No, "its policy for a stale claim is none (an own row)"},
		"another queue":              {changed(func(j *job.Job) { j.Queue = job.Celery }), No, "its queue is celery"},
		"another job":                {changed(func(j *job.Job) { j.Type = "receipt.mail" }), No, "the evidence is of another job: charge.create"},
		"another key":                {changed(func(j *job.Job) { j.Operation.Key = paths2(t, "body.order.id", "body.currency") }), No, "its operation key is body.order.id, body.currency, and body.order.id was replayed"},
		"another column for the key": {changed(func(j *job.Job) { j.Operation.Key = paths2(t, "body.order.number") }), No, "its operation key is body.order.number"},
		"another message":            {changed(func(j *job.Job) { j.Message = "charges-eu" }), No, "its message is charges-eu, and charges was replayed"},
		"no message stored now":      {changed(func(j *job.Job) { j.StoreMessage = false }), No, "its store_message is false, and true was replayed"},
		"another table":              {func() Input { in := shown(charge(t)); in.Table = "records"; return in }(), No, "its table is records, and idempotency_records was replayed"},
		"another fingerprint":        {changed(func(j *job.Job) { j.Operation.Fingerprint = nil }), No, "its fingerprint is none, and body.amount_cents was replayed"},
	})
}

func TestOtherEvidenceIsNotShown(t *testing.T) {
	sound := shown(charge(t))
	planned := func(by func(*judge.Plan)) Input {
		in := sound
		p := *sound.Plan
		p.Cases = slices.Clone(p.Cases)
		by(&p)
		in.Plan = &p
		return in
	}
	reported := func(by func(*report.Report)) Input {
		in := sound
		by(&in.Report)
		in.Again = slices.Clone(in.Report.Results)
		return in
	}
	part := sound
	part.Part = true
	notShown(t, map[string]doubtful{
		"a plan without a key":       {planned(func(p *judge.Plan) { p.Key = nil }), Unknown, "does not say which operation key"},
		"a plan without a table":     {planned(func(p *judge.Plan) { p.Table = "" }), Unknown, "does not say which operation key, or table"},
		"no digests":                 {reported(func(r *report.Report) { r.Files = nil }), Unknown, "does not say which plan and histories are its own"},
		"no plan":                    {func() Input { in := sound; in.Plan = nil; return in }(), Unknown, "no plan.json"},
		"the plan of another replay": {planned(func(p *judge.Plan) { p.LeaseMS++ }), No, "not of one replay"},
		"a plan that permits more": {planned(func(p *judge.Plan) {
			for i, c := range p.Cases {
				if c.Label() == "killed_after_effect" {
					p.Cases[i].Permitted = []judge.Permitted{{At: job.Moment{Claimed: true, Effect: true}, Ends: []job.End{{Effects: 2, State: job.EndCompleted}}}}
				}
			}
		}), No, "permits other ends at killed_after_effect"},
		"a replay that was interrupted": {reported(func(r *report.Report) { r.Complete = false }), Unknown, "did not come to its end"},
		"no results":                    {reported(func(r *report.Report) { r.Results = nil }), Unknown, "no case of a version to judge"},
		"one case":                      {sound.without(func(r judge.Result) bool { return r.Case == "sequential" }), Unknown, "cases are missing, such as concurrent"},
		"all but one":                   {sound.without(func(r judge.Result) bool { return r.Case != "keyless" }), Unknown, "1 case is missing, such as keyless"},
		"a fast replay":                 {reported(func(r *report.Report) { r.Fast = true }), Unknown, "made with --fast"},
		"a folder of a part":            {part, Unknown, "of a part of a replay"},
	})
}

func TestWhatWasSeenIsNotShown(t *testing.T) {
	sound := shown(charge(t))
	verdict := func(label, verdict, kind string) Input {
		return sound.change(label, func(r *judge.Result) { r.Verdict = judge.Verdict{Verdict: verdict, Kind: kind, Why: "it was seen"} })
	}
	notShown(t, map[string]doubtful{
		"a violation":                  {verdict("killed_after_effect", judge.Violation, judge.Duplicate), No, "new/killed_after_effect: duplicate: it was seen"},
		"a violation elsewhere":        {verdict("late_finisher/after_effect", judge.Violation, judge.AgainstPolicy), No, "against_policy"},
		"an unknown case":              {verdict("shutdown", judge.Unknown, ""), Unknown, "new/shutdown could not be told"},
		"a verdict of another version": {verdict("shutdown", "fine", ""), Unknown, "could not be told"},
		"no guard":                     {sound.change("sequential", func(r *judge.Result) { r.Guarded = false }), No, "keeps no idempotency record"},
		"few races":                    {sound.change("concurrent", func(r *judge.Result) { r.Overlapped = 99 }), Unknown, "in 99 runs only, and 100 were agreed"},
		"a check that was not made":    {verdict("killed_after_claim", judge.NotApplicable, ""), Unknown, "the agreed check killed_after_claim was not made: it was seen"},
		"no young claim":               {verdict("young_claim", judge.NotApplicable, ""), Unknown, "the agreed check young_claim was not made"},
		"a platform that voids it": {
			examined(sound, Doctor{Findings: []Finding{{ID: "sqlite.network", Severity: "repeats", Subject: "records.db", What: "it lies on NFS.", Mend: "move it.", Voids: true}}}), No,
			"sqlite.network (records.db): it lies on NFS: nothing that a replay showed holds there",
		},
		"settings of other jobs":    {examined(sound, Doctor{Jobs: []string{"receipt.mail"}}), Unknown, "the settings check is of other jobs: receipt.mail"},
		"settings of another table": {examined(sound, Doctor{Jobs: []string{"receipt.mail", "charge.create"}, Table: "app.records"}), Unknown, "of the table app.records, and the job file has idempotency_records"},
		"a platform that may void it": {
			examined(sound, Doctor{CouldNotCheck: []Gap{{ID: "table.trigger", Reason: "the account may not see it.", Matters: true}}}), Unknown,
			"could not tell whether table.trigger is so, and then nothing holds that a replay showed: the account may not see it",
		},
	})
}

// The worst decides, whatever comes first.
func TestWorstDoubtDecides(t *testing.T) {
	in := shown(charge(t)).change("sequential", func(r *judge.Result) { r.Verdict.Verdict = judge.Unknown })
	in = in.change("shutdown", func(r *judge.Result) { r.Verdict = judge.Verdict{Verdict: judge.Violation, Kind: judge.Lost} })
	if n := New(in); n.Shown != No || len(n.Doubts) != 2 {
		t.Errorf("%s, %+v", n.Shown, n.Doubts)
	}
}

// What is no doubt is a remark, and is on the page.
func TestRemarks(t *testing.T) {
	sound := shown(charge(t))
	older := sound.without(func(r judge.Result) bool { return hasLine(r.Label()) })
	older.Report.ToolVersion = "v0.0.9"
	without := *sound.Plan
	without.Cases, older.Plan = nil, &without
	dirty := sound
	dirty.Report.Tree = &report.Tree{Commit: sound.Report.Tree.Commit, Dirty: true}
	nowhere := sound
	nowhere.Report.Tree = nil
	for name, c := range map[string]struct {
		in   Input
		want string
	}{
		"no old code":                  {sound.without(func(r judge.Result) bool { return r.Version == "new" }), "No code from before was replayed beside it"},
		"dirty":                        {dirty, "is in no commit"},
		"no git":                       {nowhere, "was not in git"},
		"code that cannot be compared": {since(sound, Since{Untold: "the commit is not here"}), "could not be told: the commit is not here"},
		"a new file":                   {since(sound, Since{New: []string{"sitecustomize.py"}}), "new since the replay: sitecustomize.py"},
		"an older version":             {older, "made by another version (v0.0.9), which did not know"},
	} {
		n := New(c.in)
		if n.Shown != Yes || !strings.Contains(strings.Join(n.Remarks, "\n"), c.want) {
			t.Errorf("%s: %s, %q, %+v", name, n.Shown, n.Remarks, n.Doubts)
		}
	}
	quiet := sound
	quiet.Report.Results = slices.Clone(sound.Report.Results)
	for i := range quiet.Report.Results {
		quiet.Report.Results[i].Verdict = judge.Verdict{Verdict: judge.OK}
		quiet.Report.Results[i].EffectsMin, quiet.Report.Results[i].EffectsMax = 1, 1
	}
	quiet.Again = quiet.Report.Results
	n := New(quiet)
	if page := markdown(t, n); n.Shown != Yes || !strings.Contains(page, "No case broke the version old either") || !strings.Contains(page, "so they are no control") {
		t.Errorf("%+v\n%s", n.Doubts, page)
	}
}

func markdown(t *testing.T, n Note) string {
	t.Helper()
	var b bytes.Buffer
	if err := n.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func html(t *testing.T, n Note) string {
	t.Helper()
	var b bytes.Buffer
	if err := n.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
