package replay

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue/celery"
)

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

// Version is one state of the user's code.
type Version struct {
	Name    string
	Guarded bool
}

// NewPlan lays out every case for every version of a replay file.
func NewPlan(j job.Job, policyText string, spec *jobfile.Replay, rung Rung) Plan {
	versions := make([]Version, len(spec.Versions))
	for i, v := range spec.Versions {
		versions[i] = Version{Name: v.Name, Guarded: v.Guarded}
	}
	unguarded := slices.ContainsFunc(versions, func(v Version) bool { return !v.Guarded })
	p := Plan{
		Schema: PlanSchema, Job: j.Type, Policy: string(j.Stale.Policy), PolicyText: policyText,
		Key: texts(j.Operation.Key), Fingerprint: texts(j.Operation.Fingerprint), Message: j.Message, StoreMessage: j.StoreMessage, LeaseMS: j.Lease.Milliseconds(), Rung: rung,
	}
	_, keyless := withoutKey(j.Queue, spec.Message, j.Operation)
	for _, c := range CasesOf(j.Queue) {
		if c.Name == EveryStep {
			c.instead = rungEnds(rung)
		}
		for _, v := range versions {
			s := setting{
				job: j, database: spec.Database.Kind, guarded: v.Guarded, unguardedVersion: unguarded,
				backfill: spec.Backfill != "", enqueue: len(spec.Enqueue) > 0, sweep: spec.Sweep != "", keyless: keyless, spaceless: losesSpaces(spec.Outside),
				failsUnseen: j.Queue == job.Celery && spec.Queue.Broker == string(celery.SQS),
			}
			p.Cases = append(p.Cases, planCase(s, c, v, spec.ConcurrentRuns))
		}
	}
	return p
}

func texts(paths []job.Path) (list []string) {
	for _, p := range paths {
		list = append(list, p.String())
	}
	return list
}

func planCase(s setting, c Case, v Version, races int) Planned {
	p := Planned{
		Version: v.Name, Guarded: v.Guarded, Case: c.Name, Point: c.Point, What: c.what(s), OK: c.OK, Runs: 1, Races: c.Races,
		StoredLeaseMS: s.job.StoredLease().Milliseconds(), Fault: c.faultText(),
		LeaseMS: s.job.Lease.Milliseconds(), LongestRunMS: s.job.LongestRun.Milliseconds(),
	}
	if v.Guarded {
		p.Policy = string(s.job.Stale.Policy)
	}
	if c.Races {
		p.Runs = races
	}
	p.Alone = c.aloneFor(s)
	if c.unfit != nil {
		p.NotApplicable = c.unfit(s)
	}
	if p.NotApplicable != "" {
		return p
	}
	if p.Fault == "" {
		p.Permitted = []Permitted{{Ends: endsOf(s.job, c, v, job.Moment{})}}
		return p
	}
	p.Shows = c.shows(s)
	for _, at := range moments(v) {
		p.Permitted = append(p.Permitted, Permitted{At: at, Ends: endsOf(s.job, c, v, at)})
	}
	return p
}

// faultText says what must have happened, or the case proves nothing.
func (c Case) faultText() string {
	if c.fault != "" || c.at == nil {
		return c.fault
	}
	return c.at.name
}

func endsOf(j job.Job, c Case, v Version, at job.Moment) []job.End {
	if !v.Guarded {
		return job.UnguardedEnds()
	}
	if c.instead != nil {
		return c.instead(j, at)
	}
	ends := j.Ends(at)
	if c.also != nil {
		for _, e := range c.also(j, at) {
			if !slices.Contains(ends, e) {
				ends = append(ends, e)
			}
		}
	}
	return ends
}

// moments are the states that a fault may find an operation in. Code that acts
// before it claims, or completes before it acts, is in here too: what its record
// claims is what it is measured by.
func moments(v Version) []job.Moment {
	if !v.Guarded {
		return []job.Moment{{}, {Effect: true}}
	}
	return []job.Moment{
		{}, {Effect: true}, {Claimed: true}, {Claimed: true, Effect: true},
		{Claimed: true, Completed: true}, {Claimed: true, Effect: true, Completed: true},
	}
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
