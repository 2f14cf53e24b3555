package note

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/fit"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/report"
)

func (n Note) page() page {
	p := page{
		title:    words("Note on ", codeOf(n.Job.Type)),
		origin:   words(n.origin()),
		shown:    n.Shown,
		verdict:  n.verdict(),
		reasons:  n.reasons(),
		sections: []section{{"What was agreed", n.agreement()}},
		checks:   n.checkRows(),
		after:    []section{{"What enforces it", n.enforced()}, {"Not promised", n.notPromised()}, {"Going back, and living with it", n.afterwards()}},
		reviewer: words("Second reviewer: read the order of claim, effect and completion, the policy at each crash point, that the unique key and not memory is the guard, and the replay."),
		footer:   n.footer(),
	}
	if n.Shown == Yes {
		p.sign = n.toSign()
	}
	return p
}

func (n Note) origin() string {
	r := n.Report
	tree := "code not in git"
	if r.Tree != nil {
		tree = "code at " + r.Tree.Commit[:min(12, len(r.Tree.Commit))]
		if r.Tree.Dirty {
			tree += " with changes"
		}
	}
	return fmt.Sprintf("Replayed on %s · twiceproof %s · %s · %s on %s", r.GeneratedAt.UTC().Format("2006-01-02 15:04 UTC"), oneLine(r.ToolVersion), tree, queueName(n.Job.Queue), databaseName(r.Database))
}

func queueName(q job.Queue) string {
	return map[job.Queue]string{job.SQS: "Amazon SQS", job.Celery: "Celery", job.Sidekiq: "Sidekiq", job.RQ: "RQ"}[q]
}

func databaseName(kind string) string {
	if name := map[string]string{"postgres": "PostgreSQL", "mysql": "MySQL or MariaDB", "mariadb": "MariaDB", "sqlite": "SQLite"}[kind]; name != "" {
		return name
	}
	return oneLine(kind)
}

func (n Note) verdict() line {
	switch n.Shown {
	case Yes:
		return words(strongOf("Shown by replay"), ": ", codeOf(n.Report.Judged), " stood every case that fits this job. ", "Here "+report.Limit+".")
	case No:
		return words(strongOf("Not shown."), " What this page says is not proved, and there is nothing to sign.")
	}
	return words(strongOf("Could not be told."), " Something on this page is not proved, so there is nothing to sign yet.")
}

// reasons are the first few doubts: the page is one page.
func (n Note) reasons() []line {
	const most = 4
	var lines []line
	for i, d := range n.Doubts {
		if i == most {
			lines = append(lines, words(fmt.Sprintf("and %d more: twiceproof note --json tells them", len(n.Doubts)-most)))
			break
		}
		lines = append(lines, words(said(d.Why)+". To do: "+said(d.Mend)+"."))
	}
	return lines
}

func (n Note) agreement() []line {
	j := n.Job
	lines := []line{
		words(strongOf("Job"), ": ", codeOf(j.Type), " on ", queueName(j.Queue), named(", ", j.Message), "; its record is in the table ", codeOf(n.Table), ". ",
			strongOf("Effect"), ": ", orUnsaid(j.Effect.What), kindOf(j.Effect.Kind), "."),
		append(words(strongOf("Operation key"), ": "), append(paths(j.Operation.Key), span{plain, ". Two messages with the same key, byte for byte, are one operation."})...),
		append(words(strongOf("A repeat"), ": ", orUnsaid(j.Operation.Repeat), " "), n.fingerprint()...),
		words(strongOf("Lease"), ": "+jobfile.FormatDuration(j.Lease)+n.stored()+". "+n.whyLease()),
	}
	policy := words(strongOf("Stale claim"), ": ", n.policyName(), ". ")
	for sentence := range strings.SplitSeq(jobfile.Explain(j), "\n") {
		policy = append(policy, span{plain, sentence + " "})
	}
	lines = append(lines, policy)
	if j.Effect.Kind == job.OwnRow {
		lines = append(lines, words(strongOf("Born completed"), ": the claim is the first statement of the transaction that makes the row, and nobody can see the state in between. "+
			"So the record is written as completed at once, and appears together with the row, or not at all."))
	}
	return append(lines, n.retention())
}

func (n Note) whyLease() string {
	if n.Job.Effect.Kind == job.OwnRow {
		return "The longest normal run is " + jobfile.FormatDuration(n.Job.LongestRun) + "; the lease ends a transaction that takes longer than that."
	}
	return fit.WhyLease(n.Job.LongestRun, n.Job.Lease)
}

// stored is the longer lease of the record, where it is longer.
func (n Note) stored() string {
	if n.Job.StoredLease() == n.Job.Lease {
		return ""
	}
	return ", in the record " + jobfile.FormatDuration(n.Job.StoredLease()) + " (with the time that the service may need to show a call)"
}

func (n Note) policyName() any {
	if n.Job.Effect.Kind == job.OwnRow {
		return "needs no policy"
	}
	return codeOf(string(n.Job.Stale.Policy))
}

func (n Note) fingerprint() line {
	if len(n.Job.Operation.Fingerprint) == 0 {
		return words("No other field is compared.")
	}
	l := append(words("Under the same key another "), paths(n.Job.Operation.Fingerprint)...)
	return append(l, span{plain, " is refused and shown."})
}

// retention is proposed where the job file has none.
func (n Note) retention() line {
	length, why := fit.Retention(n.Job.Queue)
	text := jobfile.FormatDuration(length) + " proposed (the job file has none)"
	if n.Job.Retention > 0 {
		text = jobfile.FormatDuration(n.Job.Retention)
	}
	short := ""
	if n.Job.Retention > 0 && n.Job.Retention < length {
		short = " That is shorter than the " + jobfile.FormatDuration(length) + " that would be proposed."
	}
	return words(strongOf("Retention"), ": "+text+", for you to confirm. "+why+short+" Nothing deletes records by itself.")
}

func named(before, name string) any {
	if name == "" {
		return ""
	}
	return before + said(name)
}

func orUnsaid(text string) string {
	if text == "" {
		return "(not said in the job file)"
	}
	return said(text)
}

func kindOf(k job.EffectKind) string {
	if k == job.OwnRow {
		return " (a row in the application's own database)"
	}
	return " (in another system)"
}

// paths are as many as the page has room for.
func paths(all []job.Path) line {
	const most = 6
	var l line
	for i, p := range all {
		if i == most {
			return append(l, span{plain, fmt.Sprintf(" and %d more", len(all)-most)})
		}
		if i > 0 {
			l = append(l, span{plain, ", "})
		}
		l = append(l, codeOf(cut(p.String(), 60)))
	}
	return l
}

func (n Note) checkRows() [][]string {
	old := "before"
	if versions := others(n.Report); len(versions) > 0 {
		old = versions[len(versions)-1]
	}
	rows := [][]string{{"", "what was done", "permitted beforehand", oneLine(old), oneLine(n.Report.Judged)}}
	for _, c := range n.Checks {
		rows = append(rows, []string{fmt.Sprint(c.Agreed), c.What, c.Permitted, c.Old, c.New})
	}
	before := "not run"
	if versions := others(n.Report); len(versions) > 0 {
		before = rest(n.Report, versions[len(versions)-1])
	}
	return append(rows, []string{"", "every other case of the replay", "as each says", before, rest(n.Report, n.Report.Judged)})
}
