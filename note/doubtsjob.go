package note

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// stale: a replay proves the job file that it was run with.
func (d *doubts) stale() {
	j, r := d.in.Job, d.in.Report
	for _, c := range []struct{ what, then, now string }{
		{"queue", r.Queue, string(j.Queue)},
		{"policy for a stale claim", policyName(job.Policy(r.Policy)), policyName(j.Stale.Policy)},
		{"lease", ms(r.LeaseMS), jobfile.FormatDuration(j.Lease)},
		{"lease in the record", ms(r.StoredLeaseMS), jobfile.FormatDuration(j.StoredLease())},
	} {
		if c.then != c.now {
			d.add(No, fmt.Sprintf("the job file has changed since the replay: its %s is %s, and %s was replayed", c.what, c.now, c.then), replayAgain)
		}
	}
	if len(d.list) == 0 && strings.TrimSpace(r.PolicyText) != strings.TrimSpace(jobfile.Explain(j)) {
		d.add(No, "the job file has changed since the replay: the policy's settings are others", replayAgain)
	}
}

func policyName(p job.Policy) string {
	if p == "" {
		return "none (an own row)"
	}
	return string(p)
}

// plan: what is permitted was written down before, and is what the policy permits now.
func (d *doubts) plan() {
	p := d.in.Plan
	switch {
	case p == nil:
		d.add(Unknown, "the evidence has no plan.json, so nobody can tell what was permitted beforehand", replayAgain)
		return
	case p.Job != d.in.Report.Job || p.LeaseMS != d.in.Report.LeaseMS || p.PolicyText != d.in.Report.PolicyText:
		d.add(No, "plan.json and result.json are not of one replay", replayAgain)
		return
	}
	for _, planned := range p.Cases {
		if planned.Version != d.in.Report.Judged || planned.NotApplicable != "" {
			continue
		}
		if planned.LongestRunMS > 0 && planned.LongestRunMS != d.in.Job.LongestRun.Milliseconds() {
			d.add(No, "the job file has changed since the replay: its longest run is "+jobfile.FormatDuration(d.in.Job.LongestRun)+", and "+ms(planned.LongestRunMS)+" was replayed", replayAgain)
			return
		}
		if !d.permitsTheSame(planned) {
			d.add(No, "the plan permits other ends at "+planned.Label()+" than the policy does now", replayAgain)
			return
		}
	}
}

// permitsTheSame holds the plan of the two crash points against the job's own answer.
func (d *doubts) permitsTheSame(p judge.Planned) bool {
	if p.Point != "" || !p.Guarded || p.Case != "killed_after_claim" && p.Case != "killed_after_effect" {
		return true
	}
	return !slices.ContainsFunc(p.Permitted, func(at judge.Permitted) bool { return !slices.Equal(at.Ends, d.in.Job.Ends(at.At)) })
}

// key: what made an operation one at the replay is what does now, and so is what carries
// and keeps it.
func (d *doubts) key() {
	p, op := d.in.Plan, d.in.Job.Operation
	switch {
	case p == nil: // there is a doubt for that already
		return
	case len(p.Key) == 0 || p.Table == "":
		d.add(Unknown, "the plan is of an older version and does not say which operation key, or table, was replayed", replayAgain)
		return
	}
	for _, c := range []struct {
		what      string
		then, now []string
	}{
		{"operation key", p.Key, texts(op.Key)},
		{"fingerprint", p.Fingerprint, texts(op.Fingerprint)},
		{"message", []string{p.Message}, []string{d.in.Job.Message}},
		{"store_message", []string{fmt.Sprint(p.StoreMessage)}, []string{fmt.Sprint(d.in.Job.StoreMessage)}},
		{"table", []string{p.Table}, []string{d.in.Table}},
	} {
		if then, now := list(c.then), list(c.now); then != now {
			d.add(No, fmt.Sprintf("the job file has changed since the replay: its %s is %s, and %s was replayed", c.what, now, then), replayAgain)
		}
	}
}

func texts(paths []job.Path) (texts []string) {
	for _, p := range paths {
		texts = append(texts, p.String())
	}
	return texts
}

func list(paths []string) string {
	if strings.Join(paths, "") == "" {
		return "none"
	}
	return strings.Join(paths, ", ")
}
