package twiceproof

import (
	"context"

	"github.com/twiceproof/twiceproof/job"
)

// scenario is one delivery on a record in some state, and its right end.
type scenario struct {
	name    string
	job     job.Job
	before  func(r *rig, key string)
	act     Act // nil charges
	want    Outcome
	record  string
	effects int
	looked  int
}

func scenarios(r *rig) []scenario {
	hold, look := holdJob(), lookupJob()
	vanished := func(j job.Job, effect bool) func(*rig, string) {
		return func(r *rig, key string) {
			r.vanish(r.guardOn(r.plain, j), key, effect)
			r.stale(key)
		}
	}
	released := func(r *rig, key string) {
		r.runWith(r.guardOn(r.plain, hold), key, func(context.Context, *Operation) error { return NotApplied(errTill) })
	}
	refuse := func(context.Context, *Operation) error { return NotApplied(errTill) }
	unknown := func(ctx context.Context, op *Operation) error { _ = r.till.charge(ctx, op); return errTill }
	late := func(ctx context.Context, op *Operation) error {
		r.stale(op.Key)
		r.run(r.guardOn(r.plain, look), op.Key)
		return r.till.charge(ctx, op)
	}
	none := func(*rig, string) {}
	again, twice, miss := withPolicy(job.Resend), withPolicy(job.AcceptDuplicate), withPolicy(job.AcceptMiss)
	renewed := func(ctx context.Context, op *Operation) error {
		if err := op.Renew(ctx); err != nil {
			return NotApplied(err)
		}
		return r.till.charge(ctx, op)
	}
	usedUp := func(r *rig, key string) {
		vanished(twice, true)(r, key)
		r.runWith(r.guardOn(r.plain, twice), key, unknown)
		r.stale(key)
	}
	return []scenario{
		{"new, hold", hold, none, nil, Completed, "state=completed completion=acted acts=1 late_finish_at=null", 1, 0},
		{"new, lookup", look, none, nil, Completed, "state=completed completion=acted acts=1 late_finish_at=null", 1, 0},
		{"refused", hold, none, refuse, Released, "state=claimed acts=0 given_up=1", 0, 0},
		{"unknown, hold", hold, none, unknown, GivenUp, "state=claimed acts=1 given_up=1 late_finish_at=null", 1, 0},
		{"unknown, lookup", look, none, unknown, GivenUp, "state=claimed acts=1 given_up=1 lookups=0 late_finish_at=null", 1, 0},
		{"stale without doubt", hold, released, nil, Completed, "state=completed completion=acted acts=1 vanished=0", 1, 0},
		{"stale, there", look, vanished(look, true), nil, Completed, "state=completed completion=found acts=1 vanished=1", 1, 1},
		{"stale, not there", look, vanished(look, false), nil, Completed, "state=completed completion=acted acts=2 vanished=1", 1, 1},
		{"stale, refused", look, vanished(look, false), refuse, Released, "state=claimed acts=1 given_up=1 vanished=1", 0, 1},
		{"stale, unknown", look, vanished(look, false), unknown, GivenUp, "state=claimed acts=2 given_up=1 vanished=1", 1, 1},
		{"stale, hold", hold, vanished(hold, true), nil, Held, "state=held hold_reason=worker_vanished acts=1 vanished=0", 1, 0},
		{"stale, resend", again, vanished(again, true), nil, Completed, "state=completed completion=acted acts=2 vanished=1", 2, 0},
		{"stale, twice", twice, vanished(twice, true), nil, Completed, "state=completed completion=acted acts=2 vanished=1", 2, 0},
		{"stale, used up", twice, usedUp, nil, Held, "state=held hold_reason=max_acts acts=2", 2, 0},
		{"stale, miss", miss, vanished(miss, false), nil, Completed, "state=completed completion=assumed acts=1 vanished=0", 0, 0},
		{"renewed", hold, none, renewed, Completed, "state=completed completion=acted acts=1 late_finish_at=null", 1, 0},
		{"late", look, none, late, Lost, "state=completed completion=acted acts=2 late_finish_at=set", 2, 1},
		{"repeat", hold, func(r *rig, key string) { r.run(r.guardOn(r.plain, hold), key) }, nil, Completed, "state=completed acts=1", 1, 0},
	}
}
