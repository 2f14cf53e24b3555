package note

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
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

// results: every case of the judged version.
func (d *doubts) results() {
	r := d.in.Report
	if !r.Complete {
		d.add(Unknown, "the replay did not come to its end", replayAgain)
	}
	for _, result := range judged(r) {
		switch result.Verdict.Verdict {
		case judge.OK, judge.NotApplicable:
		case judge.Violation:
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
		d.add(Unknown, "the replay was made with --fast: its workers may have been forked from an interpreter that had loaded the libraries, and not started as in production", "run twiceproof replay again without --fast, or name the folder of such a replay")
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
	return d.in.Plan != nil && slices.ContainsFunc(d.in.Plan.Cases, func(p judge.Planned) bool { return p.Version == d.in.Report.Judged && p.Label() == label })
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

func labels(results []judge.Result) map[string]bool {
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
		if result.Case == "concurrent" && result.Verdict.Verdict == judge.OK && result.Overlapped < enough {
			d.add(Unknown, fmt.Sprintf("two workers had the same message at once in %d runs only, and %d were agreed", result.Overlapped, enough), "set concurrent_runs: 100 in the replay file, and replay")
		}
	}
}

// voided: on such a platform nothing holds that was shown elsewhere.
func (d *doubts) voided() {
	if d.in.Doctor == nil {
		return
	}
	if jobs := d.in.Doctor.Jobs; len(jobs) > 0 && !slices.Contains(jobs, d.in.Job.Type) {
		d.add(Unknown, "the settings check is of other jobs: "+some(jobs), "let twiceproof doctor look at this one: twiceproof doctor --file, with this job file")
	}
	if table := d.in.Doctor.Table; table != "" && table != d.in.Table {
		d.add(Unknown, "the settings check is of the table "+table+", and the job file has "+d.in.Table, "let twiceproof doctor look at that one: twiceproof doctor --file, with this job file")
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
func judged(r report.Report) []judge.Result { return of(r, r.Judged) }

func of(r report.Report, version string) (results []judge.Result) {
	for _, result := range r.Results {
		if result.Version == version {
			results = append(results, result)
		}
	}
	return results
}
