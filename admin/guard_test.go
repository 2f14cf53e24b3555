package admin

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// shop is a guarded job on the rig's table, and what it put on its queue.
type shop struct {
	*rig
	job   job.Job
	guard *twiceproof.Guard

	mu      sync.Mutex
	charged int
	queue   [][]byte
}

func newShop(r *rig, policy job.Policy) *shop {
	r.t.Helper()
	s := &shop{rig: r, job: job.Job{
		Type: "charge", Queue: job.SQS, Message: "charges",
		Operation:  job.Operation{Key: []job.Path{job.MustParsePath("body.order")}, Repeat: "charged twice"},
		Effect:     job.Effect{Kind: job.Outside, What: "a charge"},
		LongestRun: 10 * time.Second, Lease: time.Minute, Stale: job.Stale{Policy: policy}, StoreMessage: true,
	}}
	options := twiceproof.Options{Log: slog.New(slog.DiscardHandler)}
	if policy == job.Lookup {
		s.job.Stale.Settle = time.Second
		options.LookUp = func(context.Context, *twiceproof.Operation) (bool, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.charged > 0, nil
		}
	}
	var err error
	if s.guard, err = twiceproof.New(r.db, twiceproof.Dialect(r.d.name), s.job, options); err != nil {
		r.t.Fatal(err)
	}
	return s
}

func fieldsOf(message []byte) (job.Fields, error) {
	var body map[string]any
	err := json.Unmarshal(message, &body)
	return job.Fields{"body": body}, err
}

// deliver hands over a message; at, when not nil, is in the middle of the act.
func (s *shop) deliver(message string, at func()) twiceproof.Result {
	s.t.Helper()
	fields, err := fieldsOf([]byte(message))
	if err != nil {
		s.t.Fatal(err)
	}
	d := twiceproof.Delivery{Fields: fields, Body: []byte(message), Message: []byte(message)}
	res, err := s.guard.Run(context.Background(), d, func(context.Context, *twiceproof.Operation) error {
		if at != nil {
			at()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.charged++
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

// sweep is one sweep, with its report.
func (s *shop) sweep() twiceproof.SweepReport {
	s.t.Helper()
	sweeper, err := twiceproof.NewSweeper(s.db, twiceproof.Dialect(s.d.name), s.job, "")
	if err != nil {
		s.t.Fatal(err)
	}
	report, err := sweeper.Sweep(context.Background(), twiceproof.SweepOptions{Apply: true, PutBack: s.putBack, Fields: fieldsOf})
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

func (s *shop) putBack(_ context.Context, message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, message)
	return nil
}

const order = `{"order":"k"}`

// A worker is stopped in its act, its claim is held, a person decides, and then it wakes
// up: what was decided stays, and the record says that it came.
func TestLateFinishAfterResolve(t *testing.T) {
	for do, wants := range map[Decision]map[string]string{
		Done:     {"state": "completed", "completion": "resolved"},
		Drop:     {"state": "completed", "completion": "resolved"},
		RunAgain: {"state": "claimed", "completion": "null", "acts": "0"},
	} {
		t.Run(string(do), func(t *testing.T) {
			onEach(t, func(t *testing.T, r *rig) {
				s := newShop(r, job.Hold)
				res := s.deliver(order, func() {
					r.exec("UPDATE idempotency_records SET claimed_at = " + r.ago(time.Hour))
					if report := s.sweep(); report.Held != 1 {
						t.Errorf("%+v", report)
					}
					if res, err := r.Resolve(context.Background(), r.decision("k", do)); err != nil || !res.Applied {
						t.Errorf("%+v, %v", res, err)
					}
				})
				if res.Outcome == twiceproof.Completed && !res.Repeat {
					t.Errorf("%+v", res)
				}
				r.want("k", wants)
				r.want("k", map[string]string{"late_finish_at": "set", "resolved_by": "ann@desk"})
				// The next delivery: nothing, or the one act that was decided.
				next := s.deliver(order, nil)
				if effects := map[bool]int{true: 2, false: 1}[do == RunAgain]; s.charged != effects || next.Outcome != twiceproof.Completed {
					t.Errorf("%d charges, %+v", s.charged, next)
				}
			})
		})
	}
}

// The control: without a decision the worker that wakes up completes its own hold, and
// a decision on the hold that was seen before is then refused.
func TestOwnerCompletesItsHold(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		s := newShop(r, job.Hold)
		var seen Resolution
		s.deliver(order, func() {
			r.exec("UPDATE idempotency_records SET claimed_at = " + r.ago(time.Hour))
			s.sweep()
			seen = r.decision("k", RunAgain)
		})
		r.want("k", map[string]string{"state": "completed", "completion": "acted", "late_finish_at": "null"})
		if res, err := r.Resolve(t.Context(), seen); err == nil || res.Applied {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// Run again, with a queue and without one: the message comes, once, and the job acts
// once; under lookup it asks first.
func TestRunAgainActs(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, policy := range []job.Policy{job.Hold, job.Lookup} {
			for _, queue := range []bool{true, false} {
				r.exec("DELETE FROM idempotency_records")
				s := newShop(r, policy)
				s.charged = map[job.Policy]int{job.Lookup: 1}[policy] // the effect is out already
				r.insert(r.claimed("k", r.held("max_takeovers", time.Hour), values{"vanished": "6", "policy": quote(string(policy)), "message": "NULL"}))
				r.exec("UPDATE idempotency_records SET message = " + map[string]string{"postgres": "convert_to('" + order + "', 'UTF8')"}[r.d.name] +
					map[bool]string{true: "", false: "'" + order + "'"}[r.d.name == "postgres"])
				d := r.decision("k", RunAgain)
				d.Job, d.Fields = &s.job, fieldsOf
				if queue {
					d.PutBack = s.putBack
				}
				if res, err := r.Resolve(t.Context(), d); err != nil || res.PutBack != queue {
					t.Fatalf("%+v, %v", res, err)
				}
				if policy == job.Lookup { // it is given up: a lease later, and the settle time is over
					r.exec("UPDATE idempotency_records SET claimed_at = " + r.ago(2*time.Minute))
				}
				if report := s.sweep(); report != map[bool]twiceproof.SweepReport{true: {Waiting: 1}, false: {PutBack: 1}}[queue] {
					t.Errorf("%s, queue %v: %+v", policy, queue, report)
				}
				if len(s.queue) != 1 || string(s.queue[0]) != order {
					t.Fatalf("on the queue: %q", s.queue)
				}
				if res := s.deliver(order, nil); res.Outcome != twiceproof.Completed || s.charged != 1 {
					t.Errorf("%s: %+v, %d charges", policy, res, s.charged)
				}
				r.want("k", map[string]string{"completion": map[job.Policy]string{job.Hold: "acted", job.Lookup: "found"}[policy], "resolved_by": "ann@desk", "vanished": "0"})
			}
		}
	})
}
