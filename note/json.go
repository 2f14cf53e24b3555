package note

import (
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// Schema names the form of the JSON note; docs/json.md describes it.
const Schema = "twiceproof.note/1"

// Result is the note for programs.
type Result struct {
	Schema     string     `json:"schema"`
	Job        string     `json:"job"`
	Shown      Shown      `json:"shown"`
	Doubts     []Doubt    `json:"doubts"`
	Remarks    []string   `json:"remarks"`
	ReplayedAt time.Time  `json:"replayed_at"`
	Judged     string     `json:"judged"`
	Key        []job.Path `json:"key"`
	Repeat     string     `json:"repeat"`
	LeaseMS    int64      `json:"lease_ms"`
	Policy     job.Policy `json:"policy"`
	// RetentionMS is 0 where none is agreed.
	RetentionMS int64   `json:"retention_ms"`
	Checks      []Check `json:"checks"`
}

// Result is the note for programs.
func (n Note) Result() Result {
	r := Result{
		Schema: Schema, Job: n.Job.Type, Shown: n.Shown, Doubts: n.Doubts, Remarks: n.Remarks, ReplayedAt: n.Report.GeneratedAt, Judged: n.Report.Judged,
		Key: n.Job.Operation.Key, Repeat: n.Job.Operation.Repeat, LeaseMS: n.Job.Lease.Milliseconds(), Policy: n.Job.Stale.Policy,
		RetentionMS: n.Job.Retention.Milliseconds(), Checks: n.Checks,
	}
	if r.Doubts == nil {
		r.Doubts = []Doubt{}
	}
	if r.Remarks == nil {
		r.Remarks = []string{}
	}
	return r
}
