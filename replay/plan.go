package replay

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue/celery"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// Version is one state of the user's code.
type Version struct {
	Name    string
	Guarded bool
}

// NewPlan lays out every case for every version of a replay file.
func NewPlan(j job.Job, policyText string, spec *jobfile.Replay, rung judge.Rung) judge.Plan {
	versions := make([]Version, len(spec.Versions))
	for i, v := range spec.Versions {
		versions[i] = Version{Name: v.Name, Guarded: v.Guarded}
	}
	unguarded := slices.ContainsFunc(versions, func(v Version) bool { return !v.Guarded })
	p := judge.Plan{
		Schema: judge.PlanSchema, Job: j.Type, Policy: string(j.Stale.Policy), PolicyText: policyText,
		Key: texts(j.Operation.Key), Fingerprint: texts(j.Operation.Fingerprint), Message: j.Message, StoreMessage: j.StoreMessage, LeaseMS: j.Lease.Milliseconds(), Rung: rung,
	}
	_, keyless := withoutKey(j.Queue, spec.Message, j.Operation)
	for _, c := range CasesOf(j.Queue) {
		if c.Name == judge.EveryStep {
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

func planCase(s setting, c Case, v Version, races int) judge.Planned {
	p := judge.Planned{
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
		p.Permitted = []judge.Permitted{{Ends: endsOf(s.job, c, v, job.Moment{})}}
		return p
	}
	p.Shows = c.shows(s)
	for _, at := range moments(v) {
		p.Permitted = append(p.Permitted, judge.Permitted{At: at, Ends: endsOf(s.job, c, v, at)})
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
	if c.also == nil {
		return j.Ends(at)
	}
	return job.Union(j.Ends(at), c.also(j, at))
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
