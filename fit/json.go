package fit

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Schema names the form of the JSON result; docs/json.md describes it.
const Schema = "twiceproof.fit/1"

// Result is a decision for programs.
type Result struct {
	Schema    string            `json:"schema"`
	Verdict   string            `json:"verdict"`
	Promise   string            `json:"promise,omitempty"`
	Stops     []Reason          `json:"stops"`
	Choices   []Choice          `json:"choices"`
	Policy    job.Policy        `json:"policy,omitempty"`
	Settings  *Settings         `json:"settings,omitempty"`
	Notes     []string          `json:"notes"`
	ToFillIn  []string          `json:"to_fill_in"`
	Unused    []string          `json:"unused"`
	Answers   map[string]string `json:"answers"`
	JobFile   string            `json:"job_file,omitempty"`
	WrittenTo string            `json:"written_to,omitempty"`
}

// Settings are proposed, each with its reason.
type Settings struct {
	LongestRunMS int64  `json:"longest_run_ms"`
	LeaseMS      int64  `json:"lease_ms"`
	WhyLease     string `json:"why_lease"`
	RetentionMS  int64  `json:"retention_ms"`
	WhyRetention string `json:"why_retention"`
}

// Result is the decision for programs.
func (d Decision) Result() Result {
	r := Result{
		Schema: Schema, Verdict: d.Verdict, Promise: d.Promise, Stops: notNil(d.Stops), Choices: notNil(d.Choices),
		Notes: notNil(d.Notes), ToFillIn: notNil(d.ToFillIn), Unused: notNil(d.Unused), Answers: d.Answers,
	}
	if d.Verdict == Stop {
		return r
	}
	_, why := Retention(d.Job.Queue)
	r.Settings = &Settings{
		LongestRunMS: ms(d.Job.LongestRun), LeaseMS: ms(d.Job.Lease), WhyLease: WhyLease(d.Job.LongestRun, d.Job.Lease),
		RetentionMS: ms(d.Job.Retention), WhyRetention: why,
	}
	if d.Verdict == Fits {
		r.Policy = d.Job.Stale.Policy
	}
	r.JobFile = string(d.WriteJob())
	return r
}

func ms(d time.Duration) int64 { return d.Milliseconds() }

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
