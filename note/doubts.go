package note

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/report"
)

// Doubt is one reason why the page shows nothing, or may not.
type Doubt struct {
	Shown Shown  `json:"shown"` // no, or unknown
	Why   string `json:"why"`
	Mend  string `json:"mend"`
}

// enough is how many races the check on two workers at once was agreed with.
const enough = 100

const replayAgain = "run twiceproof replay again, whole, with this job file"

type doubts struct {
	in   Input
	list []Doubt
}

func doubtsOf(in Input) []Doubt {
	d := &doubts{in: in}
	if in.Report.Job != in.Job.Type {
		d.add(No, "the evidence is of another job: "+in.Report.Job, "name the folder of this job's evidence with --evidence")
		return d.list
	}
	d.stale()
	d.plan()
	d.key()
	d.results()
	d.again()
	d.altered()
	d.code()
	d.missing()
	d.races()
	d.voided()
	return d.list
}

func (d *doubts) add(shown Shown, why, mend string) {
	d.list = append(d.list, Doubt{shown, why, mend})
}

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
func (d *doubts) permitsTheSame(p replay.Planned) bool {
	if p.Point != "" || !p.Guarded || p.Case != "killed_after_claim" && p.Case != "killed_after_effect" {
		return true
	}
	return !slices.ContainsFunc(p.Permitted, func(at replay.Permitted) bool { return !slices.Equal(at.Ends, d.in.Job.Ends(at.At)) })
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

// results: every case of the judged version.
func (d *doubts) results() {
	r := d.in.Report
	if !r.Complete {
		d.add(Unknown, "the replay did not come to its end", replayAgain)
	}
	for _, result := range judged(r) {
		switch result.Verdict.Verdict {
		case replay.OK, replay.NotApplicable:
		case replay.Violation:
			d.add(No, fmt.Sprintf("%s/%s: %s: %s", result.Version, result.Label(), result.Kind, result.Why), "read what the case showed in report.md, mend the code, and replay it")
		default:
			d.add(Unknown, fmt.Sprintf("%s/%s could not be told: %s", result.Version, result.Label(), result.Why), "read what the case showed in report.md, and replay it")
		}
		if !result.Guarded {
			d.add(No, "the version "+result.Version+" keeps no idempotency record, so nothing is shown of one", "name the guarded version new in the replay file, with guarded: true")
			return
		}
	}
}

// missing: a part of a replay proves a part. Cases that an older version did not know
// yet are told, and are no doubt.
func (d *doubts) missing() {
	have := labels(judged(d.in.Report))
	missing := missingCases(d.in.Report)
	if d.in.Report.ToolVersion != d.in.Version {
		missing = slices.DeleteFunc(missing, func(label string) bool { return !hasLine(label) && !d.planned(label) })
	}
	switch {
	case len(have) == 0:
		d.add(Unknown, "the evidence has no case of a version to judge", replayAgain)
	case d.in.Report.Fast:
		d.add(Unknown, "the replay was made with --fast: its workers were forked from an interpreter that had loaded the libraries, and not started as in production", "run twiceproof replay again without --fast, or name the folder of such a replay")
	case d.in.Part:
		d.add(Unknown, "the evidence is of a part of a replay", "name the folder of the whole one, which is the one around it")
	case len(missing) > 0:
		d.add(Unknown, fmt.Sprintf("it is a part of a replay: %s missing, such as %s", count(len(missing), "case is", "cases are"), missing[0]), replayAgain)
	}
	for _, c := range checksOf(d.in) {
		if c.why != "" {
			d.add(Unknown, fmt.Sprintf("the agreed check %s was not made: %s", c.label, c.why), c.mend())
		}
	}
}

func (d *doubts) planned(label string) bool {
	return d.in.Plan != nil && slices.ContainsFunc(d.in.Plan.Cases, func(p replay.Planned) bool { return p.Version == d.in.Report.Judged && p.Label() == label })
}

// missingCases are those that this version knows and the evidence has not.
func missingCases(r report.Report) (missing []string) {
	have := labels(judged(r))
	for _, c := range replay.CasesOf(job.Queue(r.Queue)) {
		if !have[c.Label()] {
			missing = append(missing, c.Label())
		}
	}
	return missing
}

func labels(results []replay.Result) map[string]bool {
	have := map[string]bool{}
	for _, result := range results {
		have[result.Label()] = true
	}
	return have
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// races: two workers at once were agreed to be tried so often.
func (d *doubts) races() {
	for _, result := range judged(d.in.Report) {
		if result.Case == "concurrent" && result.Verdict.Verdict == replay.OK && result.Overlapped < enough {
			d.add(Unknown, fmt.Sprintf("two workers had the same message at once in %d runs only, and %d were agreed", result.Overlapped, enough), "set concurrent_runs: 100 in the replay file, and replay")
		}
	}
}

// voided: on such a platform nothing holds that was shown elsewhere.
func (d *doubts) voided() {
	if d.in.Doctor == nil {
		return
	}
	for _, f := range d.in.Doctor.Findings {
		if f.Voids {
			d.add(No, fmt.Sprintf("%s (%s): %s: nothing that a replay showed holds there", f.ID, f.Subject, strings.TrimSuffix(f.What, ".")), strings.TrimSuffix(f.Mend, "."))
		}
	}
	for _, g := range d.in.Doctor.CouldNotCheck {
		if g.Matters && doctor.Voids(g.ID) {
			d.add(Unknown, fmt.Sprintf("twiceproof doctor could not tell whether %s is so, and then nothing holds that a replay showed: %s", g.ID, strings.TrimSuffix(g.Reason, ".")),
				"let twiceproof doctor look again, with an account that may see it")
		}
	}
}

// judged are the results of the version that the replay is about.
func judged(r report.Report) []replay.Result { return of(r, r.Judged) }

func of(r report.Report, version string) (results []replay.Result) {
	for _, result := range r.Results {
		if result.Version == version {
			results = append(results, result)
		}
	}
	return results
}
