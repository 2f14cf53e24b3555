package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// decision on a hold as it is now.
func (r *rig) decision(key string, do Decision) Resolution {
	return Resolution{JobType: "charge", Key: key, Do: do, HeldAt: r.record(key).HeldAt, Why: " it's there ", By: "ann@desk", Apply: true}
}

func TestResolve(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		all := map[string]string{"resolved_by": "ann@desk", "held_at": "set", "hold_reason": "unknown_outcome", "reference": "ref-1", "claimed_by": "worker-1", "late_finish_at": "null"}
		for do, wants := range map[Decision]map[string]string{
			Done: {"state": "completed", "completion": "resolved", "completed_at": "set", "message": "null", "resolution": "done: it's there", "acts": "2"},
			Drop: {"state": "completed", "completion": "resolved", "completed_at": "set", "message": "null", "resolution": "dropped: it's there", "acts": "2"},
			RunAgain: {"state": "claimed", "completion": "null", "completed_at": "null", "message": "set", "resolution": "run again: it's there", "acts": "0",
				"vanished": "0", "lookups": "0", "requeues": "0", "requeued_at": "null", "lease_ms": "0"},
		} {
			key := string(do)
			r.insert(r.claimed(key, r.held("unknown_outcome", time.Hour), values{
				"acts": "2", "vanished": "3", "lookups": "4", "requeues": "5", "requeued_at": r.ago(time.Hour), "given_up": "true"}))
			before := r.record(key)
			d := r.decision(key, do)
			d.Apply = false
			dry, err := r.Resolve(t.Context(), d)
			if err != nil || dry.Applied || r.record(key).token != before.token || r.record(key).State != "held" {
				t.Fatalf("%s, dry: %+v, %v", do, dry, err)
			}
			d.Apply = true
			res, err := r.Resolve(t.Context(), d)
			if err != nil || !res.Applied || res.NoMessage || res.PutBack || res.Before.State != "held" || res.After.State != wants["state"] ||
				dry.After.State != res.After.State || dry.After.Acts != res.After.Acts || dry.After.Resolution != res.After.Resolution {
				t.Fatalf("%s: %+v, %v", do, res, err)
			}
			r.want(key, all)
			r.want(key, wants)
			now := r.record(key)
			if now.token == before.token || len(now.token) != 32 || do == RunAgain && (now.Stale < 0 || r.one(key, "given_up") != falseIn(r.d.name)) {
				t.Errorf("%s: %+v", do, now)
			}
			// The same again is refused, with what it is now.
			var moved *MovedError
			if _, err := r.Resolve(t.Context(), d); !errors.As(err, &moved) || !moved.There || moved.Now.State != wants["state"] || moved.Now.token != now.token {
				t.Errorf("%s, again: %v", do, err)
			}
		}
	})
}

func falseIn(name string) string {
	if name == "postgres" {
		return "false"
	}
	return "0"
}

// Another hold than the one that was seen, to the last digit that is kept.
func TestResolveRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.insert(r.claimed("k", r.held("max_acts", time.Hour)), r.claimed("live"), r.claimed("done", r.completed("acted", time.Hour)),
			r.claimed("row", r.held("body_ended_transaction", time.Hour)))
		good := r.decision("k", Done)
		digit := time.Microsecond
		if r.d.name == "sqlite" {
			digit = time.Millisecond
		}
		for name, want := range map[string]struct {
			change func(*Resolution)
			says   string
		}{
			"earlier hold": {func(d *Resolution) { d.HeldAt = d.HeldAt.Add(-digit) }, "another hold"},
			"later hold":   {func(d *Resolution) { d.HeldAt = d.HeldAt.Add(digit) }, "another hold"},
			"no record":    {func(d *Resolution) { d.Key = "K" }, "no record"},
			"other job":    {func(d *Resolution) { d.JobType = "mail" }, "no record"},
			"claimed":      {func(d *Resolution) { d.Key = "live" }, "not held: claimed"},
			"completed":    {func(d *Resolution) { d.Key = "done" }, "not held: completed, acted"},
			"no reason":    {func(d *Resolution) { d.Why = " \n" }, "no reason"},
			"nobody":       {func(d *Resolution) { d.By = "" }, "nobody"},
			"no hold":      {func(d *Resolution) { d.HeldAt = time.Time{} }, "which hold"},
			"no decision":  {func(d *Resolution) { d.Do = "" }, "unknown decision"},
			"own row":      {func(d *Resolution) { d.Key, d.Do, d.HeldAt = "row", RunAgain, r.record("row").HeldAt }, ErrOwnRow.Error()},
			"own row by the job file": {func(d *Resolution) {
				d.Do, d.Job = RunAgain, &job.Job{Effect: job.Effect{Kind: job.OwnRow}}
			}, ErrOwnRow.Error()},
		} {
			d := good
			want.change(&d)
			if res, err := r.Resolve(t.Context(), d); err == nil || res.Applied || !strings.Contains(err.Error(), want.says) {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
		r.want("k", map[string]string{"state": "held", "resolved_by": "null"})
		// The control: the very hold is taken; and a job that went back to an outside
		// effect may be run again.
		if res, err := r.Resolve(t.Context(), good); err != nil || !res.Applied {
			t.Errorf("%+v, %v", res, err)
		}
		again := r.decision("row", RunAgain)
		again.Job = &job.Job{Effect: job.Effect{Kind: job.Outside}, Stale: job.Stale{Policy: job.Hold}}
		if res, err := r.Resolve(t.Context(), again); err != nil || !res.Applied {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// The hold changes between what the decision read and its write: the statement itself
// refuses, by the token and by the time of the hold. Without either of them it does not.
func TestResolveShowsWhatWasRead(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, do := range []Decision{Done, RunAgain} {
			for name, set := range map[string]string{
				"token": "claim_token = " + quote(strings.Repeat("f", 32)), "held_at": "held_at = " + r.ago(time.Minute), "state": "state = 'claimed'",
			} {
				for _, control := range []bool{false, true} {
					key := fmt.Sprint(do, name, control)
					r.insert(r.claimed(key, r.held("max_acts", time.Hour)))
					d := r.decision(key, do)
					before := r.record(key)
					after, err := decide(before, true, d)
					if err != nil {
						t.Fatal(err)
					}
					r.exec("UPDATE idempotency_records SET " + set + " WHERE operation_key = " + quote(key))
					careless := *r.Records
					if control {
						careless.sql.Resolve, careless.sql.RunAgain = without(name, r.sql.Resolve), without(name, r.sql.RunAgain)
					}
					written, err := careless.write(t.Context(), d, Resolved{Before: before, After: after}, newToken())
					if err != nil || written != control {
						t.Errorf("%s: written %v, %v", key, written, err)
					}
				}
			}
		}
	})
}

// without takes a condition out of a statement's WHERE, but keeps its parameter.
func without(column, statement string) string {
	set, where, _ := strings.Cut(statement, "WHERE")
	for _, line := range strings.Split(where, "AND ") {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		if column == "token" && strings.HasPrefix(line, "claim_token") || column != "token" && strings.Contains(line, column) && !strings.HasPrefix(line, "claim_token") {
			where = strings.Replace(where, line, "("+line+" OR 1 = 1)", 1)
		}
	}
	return set + "WHERE" + where
}

// Many decide on the same holds at once: each has one winner, and the others are told.
func TestResolveAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		const people, operations = 4, 10
		for i := range operations {
			r.insert(r.claimed(fmt.Sprint("k", i), r.held("unknown_outcome", time.Hour)))
		}
		var wins, told, pushes atomic.Int64
		var running sync.WaitGroup
		for n := range people {
			records := openRecords(t, openDB(t, r.d, r.dsn), r.d)
			running.Go(func() {
				for i := range operations {
					d := r.decision(fmt.Sprint("k", i), []Decision{Done, RunAgain}[n%2])
					d.By = fmt.Sprint("p", n)
					d.PutBack = func(context.Context, []byte) error { pushes.Add(1); return nil }
					res, err := records.Resolve(t.Context(), d)
					var moved *MovedError
					switch {
					case err == nil && res.Applied:
						wins.Add(1)
						if by := r.one(d.Key, "resolved_by"); by != d.By {
							t.Errorf("%s was told that it decided, and %s did", d.By, by)
						}
					case errors.As(err, &moved) && moved.Now.State != "held" && moved.Now.ResolvedBy != d.By:
						told.Add(1)
					default:
						t.Errorf("%+v, %v", res, err)
					}
				}
			})
		}
		running.Wait()
		again := int64(0)
		for i := range operations {
			if r.one(fmt.Sprint("k", i), "state") == "claimed" {
				again++
			}
		}
		if wins.Load() != operations || told.Load() != (people-1)*operations || pushes.Load() != again {
			t.Errorf("%d won, %d told, %d put back, %d run again", wins.Load(), told.Load(), pushes.Load(), again)
		}
	})
}
