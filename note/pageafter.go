package note

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/twiceproof/twiceproof/fit"
	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// enforced tells what the unique key was shown to enforce, and how it is known that it
// was the key.
func (n Note) enforced() []line {
	lines := []line{words("The unique key on job type and operation key: it is the table's primary key. ", n.keyShown())}
	if len(n.Remarks) > 0 {
		lines = append(lines, words(strings.Join(n.Remarks, " ")))
	}
	return lines
}

func (n Note) keyShown() string {
	r, ok := find(n.Report, n.Report.Judged, "concurrent")
	if !ok || r.Verdict.Verdict != judge.OK || r.Records != 1 || r.Overlapped == 0 {
		return "The replay did not show that it is what decides between two workers."
	}
	text := fmt.Sprintf("Two worker processes, which share nothing but the database, had the same message at once in %d races: %s and 1 record each time.",
		r.Overlapped, effects(r.EffectsMin, r.EffectsMax))
	for _, version := range others(n.Report) {
		before, ok := find(n.Report, version, "concurrent")
		switch {
		case !ok:
		case before.EffectsMax > 1:
			text += fmt.Sprintf(" The same races without it (%s): %s, so they were real.", oneLine(version), effects(before.EffectsMin, before.EffectsMax))
		default:
			text += fmt.Sprintf(" The same races without it (%s) made no second effect either, so they are no control.", oneLine(version))
		}
	}
	return text
}

// notPromised is what no replay of this job can take away.
func (n Note) notPromised() []line {
	lines := []line{
		words("What the database acknowledged and then lost (no synchronous commit, a failover to a standby behind it, a restore); deliveries after a record was deleted; " +
			"a renamed job, or another key; workers without the guard that still run; a message, or an event, that was lost before its claim was committed."),
	}
	if n.Job.Effect.Kind == job.OwnRow {
		return append(lines, words("A second effect of the same body, such as a mail beside the row: only the row is in the transaction."))
	}
	return append(lines, words(n.notPromisedOutside()+" A worker that was stopped between its last check and its call can still make the call later; the record then says that a second effect is suspected."))
}

func (n Note) notPromisedOutside() string {
	switch n.Job.Stale.Policy {
	case job.Lookup:
		return "A call that the service shows only after " + jobfile.FormatDuration(n.Job.Stale.Settle) + "."
	case job.Resend:
		return "A reference that the service forgets before " + jobfile.FormatDuration(n.Job.Stale.ReferenceWindow) + "."
	}
	return "That the effect happens once: it can be neither looked up nor recognised, so the policy bounds the harm, and no more."
}

// afterwards is how to revert, and the commands for whoever looks after the job.
func (n Note) afterwards() []line {
	path := shortPath(n.JobFile)
	file, sweep := "--file "+shell.Word(path), "twiceproof sweep --apply"
	if folder := filepath.Dir(path); folder != "." {
		sweep += " " + shell.Word(folder)
	}
	lines := []line{
		words(strongOf("Revert"), ": reverting the commit restores the old job, with its repeats. The table can stay, since nothing else reads it, or be dropped by a migration of its own. Decide held operations first."),
		words(strongOf("Past repeats"), ": ", codeOf("twiceproof repeats"), " lists them (", codeOf("--query"), " prints the SQL to run yourself). What to do about them is a separate decision. ",
			strongOf("Every day"), ": ", codeOf("twiceproof status "+file), ", and the sweep: ", codeOf(sweep), "."),
	}
	lines = append(lines, words(strongOf("Held operations"), ": ", codeOf("twiceproof held "+file+" --job "+shell.Word(n.Job.Type)), ", or ", codeOf(n.heldQuery()), "."))
	retention := n.Job.Retention
	if retention == 0 {
		retention, _ = fit.Retention(n.Job.Queue)
	}
	return append(lines, words(strongOf("Old records"), ": ", codeOf("twiceproof prune "+file+" --older-than "+jobfile.FormatDuration(retention)), " counts what is old enough, and deletes it with ", codeOf("--apply"), "."))
}

func (n Note) heldQuery() string {
	jobType := strings.ReplaceAll(n.Job.Type, "'", "''")
	if n.Report.Database == "mysql" {
		jobType = strings.ReplaceAll(jobType, `\`, `\\`)
	}
	return fmt.Sprintf("SELECT operation_key, hold_reason, held_at FROM %s WHERE job_type = '%s' AND state = 'held'", n.Table, jobType)
}

// shortPath leaves the folders out where the page has no room for them: then the commands
// are typed in the job file's own.
func shortPath(name string) string {
	if len(name) > 80 {
		return path.Base(filepath.ToSlash(name))
	}
	return name
}

// toSign are the five things to confirm in writing.
func (n Note) toSign() []signed {
	j := n.Job
	length, _ := fit.Retention(j.Queue)
	retention := jobfile.FormatDuration(length) + " (proposed)"
	if j.Retention > 0 {
		retention = jobfile.FormatDuration(j.Retention)
	}
	policy := words(n.policyName())
	if j.Effect.Kind == job.Outside {
		policy = append(policy, span{plain, ", as written above"})
	}
	return []signed{
		{"Operation key", paths(j.Operation.Key)},
		{"What counts as a repeat", words("as written above")},
		{"Lease", words(jobfile.FormatDuration(j.Lease) + n.storedShort())},
		{"Policy for a stale claim", policy},
		{"Retention", words(retention)},
	}
}

func (n Note) storedShort() string {
	if n.Job.StoredLease() == n.Job.Lease {
		return ""
	}
	return " (record: " + jobfile.FormatDuration(n.Job.StoredLease()) + ")"
}
