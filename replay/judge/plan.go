package judge

import "github.com/twiceproof/twiceproof/job"

// PlanSchema names the form of a plan.
const PlanSchema = "twiceproof.plan/1"

// Plan is what the replay will do and what it will permit, written before the
// first worker starts.
type Plan struct {
	Schema     string `json:"schema"`
	Job        string `json:"job"`
	Policy     string `json:"policy"`
	PolicyText string `json:"policy_text"`
	// Key and Fingerprint are the paths that make an operation what it is, so that whoever
	// reads the evidence later can hold a changed job file against it.
	Key         []string `json:"key"`
	Fingerprint []string `json:"fingerprint,omitempty"`
	// So are these.
	Message      string `json:"message"`
	StoreMessage bool   `json:"store_message"`
	Table        string `json:"table"`
	LeaseMS      int64  `json:"lease_ms"`
	Rung         Rung   `json:"rung"` // of every_step
	// Fast: the workers are forked from an interpreter that has loaded their libraries.
	Fast bool `json:"fast,omitempty"`
	// First names the cases that are run before the others, in this order: what failed
	// when it was last run is told first.
	First []string  `json:"first,omitempty"`
	Cases []Planned `json:"cases"`
}

// Planned is one case for one code version.
type Planned struct {
	Version string `json:"version"`
	Guarded bool   `json:"guarded"`
	Case    string `json:"case"`
	Point   string `json:"point"`
	What    string `json:"what"`
	OK      string `json:"ok_when"`
	// Places are the only ones of every_step that are struck; empty: all.
	Places []string `json:"places,omitempty"`
	// Runs is how many runs it takes; with Races only those that overlapped count.
	Runs  int  `json:"runs"`
	Races bool `json:"races,omitempty"`
	// Alone is why no other case may run beside it, where there are several slots.
	Alone string `json:"alone,omitempty"`
	// Fault says that the case proves nothing unless its fault fired.
	Fault string `json:"fault,omitempty"`
	// Shows is what the look at the fault must show, or the fault was not where the
	// case says, and nothing is proved.
	Shows []Fact `json:"shows,omitempty"`
	// NotApplicable is the reason, decided before anything ran.
	NotApplicable string `json:"not_applicable,omitempty"`
	// Permitted holds the ends for each state that the fault may find. A case
	// without a fault has one entry.
	Permitted []Permitted `json:"permitted"`
	// Policy is the one that a guarded version must have claimed under; empty: none.
	Policy string `json:"policy,omitempty"`
	// StoredLeaseMS is the lease that a guarded version must have written.
	StoredLeaseMS int64 `json:"stored_lease_ms"`
	// LeaseMS and LongestRunMS are what the job file agrees for one run.
	LeaseMS      int64 `json:"lease_ms"`
	LongestRunMS int64 `json:"longest_run_ms"`
}

// Permitted is: if this was true at the fault, the operation may end so.
type Permitted struct {
	At   job.Moment `json:"at"`
	Ends []job.End  `json:"ends"`
}

// ends looks up what the plan permits at a moment.
func (p Planned) ends(at job.Moment) []job.End {
	for _, permitted := range p.Permitted {
		if permitted.At == at || p.Fault == "" {
			return permitted.Ends
		}
	}
	return nil
}
