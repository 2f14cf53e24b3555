package fit

import (
	"fmt"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// The verdicts.
const (
	Fits         = "fits"
	FitsToChoose = "fits_policy_to_choose"
	Stop         = "stop"
)

// Decision is what the answers lead to.
type Decision struct {
	Verdict string
	// Stops are all the reasons why the job does not fit; one is enough.
	Stops []Reason
	// Choices are the policies to choose from, where none is chosen yet.
	Choices []Choice
	// Promise says how often the effect happens, and under which conditions.
	Promise string
	Notes   []string
	// ToFillIn are the places of the job file that nobody has answered.
	ToFillIn []string
	// Unused are answers on which nothing hung.
	Unused  []string
	Answers Answers
	// Job is what the job file will say; not of a job that does not fit.
	Job job.Job
}

// Reason is one answer after which the job does not fit.
type Reason struct {
	Question string `json:"question"`
	Asked    string `json:"asked"`
	Answer   string `json:"answer"`
	Said     string `json:"said"`
	Why      string `json:"why"`
	Mend     string `json:"mend"`
}

// Choice is a policy, and what it permits.
type Choice struct {
	Policy job.Policy `json:"policy"`
	What   string     `json:"what"`
}

// Decide gives the verdict on answers of which none is missing and each was checked.
func Decide(a Answers) (Decision, error) {
	if missing := Missing(a); len(missing) > 0 {
		return Decision{}, fmt.Errorf("%s is not answered", missing[0].ID)
	}
	d := Decision{Verdict: Fits, Answers: a, Unused: Unused(a)}
	for _, q := range Relevant(a) {
		o := q.Option(a[q.ID])
		if o.Stop != "" {
			d.Stops = append(d.Stops, Reason{q.ID, q.Text, o.Value, o.Text, o.Stop, o.Mend})
		}
		if o.Note != "" {
			d.Notes = append(d.Notes, o.Note)
		}
	}
	if len(d.Stops) > 0 {
		d.Verdict, d.Notes = Stop, nil
		return d, nil
	}
	d.Job, d.ToFillIn = jobOf(a)
	if err := d.Job.Validate(); err != nil {
		return Decision{}, fmt.Errorf("make a job of the answers: %w", err)
	}
	d.Promise = promise(d.Job)
	d.addNotes()
	if a["policy"] == "undecided" {
		d.Verdict, d.Choices = FitsToChoose, choices(d.Job)
	}
	return d, nil
}

func (d *Decision) addNotes() {
	for _, n := range d.Job.Notes() {
		d.Notes = append(d.Notes, n.Error()+": "+n.Hint+".")
	}
	if len(d.Job.Operation.Fingerprint) == 0 {
		d.Notes = append(d.Notes, "No fingerprint: the key alone says what a repeat is. A second delivery with the same key and other content, such as another amount, is taken for a repeat and not acted on.")
	}
	if d.Answers["reference_window"] != "" && d.Job.Stale.Policy != job.Resend && d.Answers["policy"] != "" {
		d.Notes = append(d.Notes, "The outside system forgets a reference before a claim is stale, so a second call is not recognised: the policy decides.")
	}
}

// promise is said with its conditions, always.
func promise(j job.Job) string {
	const always = " That holds while the database keeps what it committed and the record is not deleted."
	switch {
	case j.Effect.Kind == job.OwnRow:
		return "The effect happens once for each operation: the row, the claim and the completion are one transaction." + always
	case j.Stale.Policy == job.Lookup:
		return "The effect happens once for each operation, as long as no worker acts after its lease and the outside system shows a call within " +
			jobfile.FormatDuration(j.Stale.Settle) + "." + always
	case j.Stale.Policy == job.Resend:
		return "The effect happens once for each operation, while the outside system remembers the reference (" + jobfile.FormatDuration(j.Stale.ReferenceWindow) + ")." + always
	}
	return "The effect is not promised to happen once: when a worker has died and nobody can tell, the policy says what happens, and bounds it."
}

// choices are the policies for an effect that can neither be recognised nor looked up,
// in the words of the note.
func choices(j job.Job) []Choice {
	var all []Choice
	for _, p := range []job.Policy{job.Hold, job.AcceptDuplicate, job.AcceptMiss} {
		j.Stale = job.Stale{Policy: p}
		sentences := strings.Split(jobfile.Explain(j), "\n")
		all = append(all, Choice{p, strings.Join(sentences[1:], " ")}) // the first is of the lease
	}
	return all
}
