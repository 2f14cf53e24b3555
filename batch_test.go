package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// batchRig counts the statements of a batch.
func batchRig(r *rig) *rig {
	b := dialect.LoadBatch(string(r.d.dialect), r.table)
	for text, verb := range map[string]string{b.Claim: "claim_batch", b.Complete: "complete_batch", b.Completed: "completed_batch"} {
		r.faults.verbs[text], r.faults.verbs[dialect.NewPositional(text).SQL] = verb, verb
	}
	return r
}

// told is what done was told, by the delivery's place, and in which order.
type told struct {
	mu    sync.Mutex
	by    map[int]Ended
	order []int
}

func (t *told) done(ended ...Ended) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range ended {
		if _, twice := t.by[e.Index]; twice {
			panic(fmt.Sprint("told twice of ", e.Index))
		}
		t.by[e.Index] = e
		t.order = append(t.order, e.Index)
	}
}

func (r *rig) runBatch(g *Guard, act Act, batch ...Delivery) *told {
	r.t.Helper()
	t := &told{by: map[int]Ended{}}
	g.RunBatch(context.Background(), batch, act, t.done)
	if len(t.by) != len(batch) {
		r.t.Errorf("told of %d deliveries, want %d: %v", len(t.by), len(batch), t.order)
	}
	return t
}

// outcomes are all, in the order of the deliveries.
func (t *told) outcomes() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for _, i := range slices.Sorted(maps.Keys(t.by)) {
		e := t.by[i]
		word := string(e.Outcome)
		switch {
		case e.Failure != nil:
			word = "error"
		case errors.Is(e.Err, ErrNotReached):
			word = "unacted"
		case e.Repeat:
			word = "repeat"
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

func (r *rig) wantTold(t *told, want string) {
	r.t.Helper()
	if got := t.outcomes(); got != want {
		r.t.Errorf("%s\nwant %s", got, want)
	}
}

func deliveries(keys ...string) []Delivery {
	var batch []Delivery
	for _, key := range keys {
		batch = append(batch, delivery(key))
	}
	return batch
}

func grouped(group string, keys ...string) []Delivery {
	batch := deliveries(keys...)
	for i := range batch {
		batch[i].Group = group
	}
	return batch
}

// byKey is an act that is another for some operations.
func byKey(others map[string]Act, otherwise Act) Act {
	return func(ctx context.Context, op *Operation) error {
		if act, ok := others[op.Key]; ok {
			return act(ctx, op)
		}
		return otherwise(ctx, op)
	}
}

func refusing(context.Context, *Operation) error { return NotApplied(errTill) }

func (r *rig) timingOut(ctx context.Context, op *Operation) error {
	_ = r.till.charge(ctx, op)
	return errTill
}

var ten = strings.Fields("10 09 08 07 06 05 04 03 02 01")

// All claims are in one commit and all completions in one; each act has its own
// claim in the record before it, and no completion.
func TestBatchCommits(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		batchRig(r).faults.set(nil)
		before := time.Now()
		var order []string
		got := r.runBatch(r.guard(holdJob()), func(ctx context.Context, op *Operation) error {
			order = append(order, op.Key)
			for _, key := range ten {
				r.wantRecord(key, "state=claimed acts=1 given_up=0 claimed_by=w message=set policy=hold lease_ms=60000")
			}
			r.wantRecord(op.Key, "reference="+op.Reference)
			if end, ok := ctx.Deadline(); !ok || !end.Equal(op.Deadline()) || end.Before(before.Add(lease)) || end.After(time.Now().Add(lease)) {
				t.Errorf("deadline %s", end)
			}
			op.SetResult([]byte("charge " + op.Key))
			return r.till.charge(ctx, op)
		}, deliveries(ten...)...)
		sent := map[string]int{}
		for _, verb := range []string{"claim_batch", "complete_batch", "claim", "complete", "begin", "commit"} {
			if n := r.faults.timesSent(verb); n > 0 {
				sent[verb] = n
			}
		}
		want := map[Dialect]string{Postgres: "map[claim_batch:1 complete_batch:1]", MySQL: "map[claim_batch:1 complete_batch:1]", SQLite: "map[begin:2 claim:10 commit:2 complete:10]"}
		if fmt.Sprint(sent) != want[r.d.dialect] {
			t.Errorf("sent %v", sent)
		}
		if !slices.Equal(order, ten) {
			t.Errorf("acted in the order %v", order)
		}
		for i, key := range ten {
			r.wantOutcome(got.by[i].Result, Completed, true)
			if e := got.by[i]; e.Repeat || e.Key != key || string(e.Value) != "charge "+key || e.Deadline.IsZero() || e.Completion != "acted" {
				t.Errorf("%+v", e)
			}
			r.wantRecord(key, "state=completed completion=acted completed_at=set acts=1 message=null late_finish_at=null")
			r.wantEffects(key, 1)
		}
		again := r.runBatch(r.guard(holdJob()), r.till.charge, deliveries(ten...)...)
		r.wantTold(again, strings.TrimSpace(strings.Repeat("repeat ", 10)))
		if string(again.by[3].Value) != "charge 07" || r.till.total() != 10 {
			t.Errorf("%+v, %d effects", again.by[3], r.till.total())
		}
	})
}

// What a record gets by a batch is what it gets by Run, key for key and byte for
// byte of the claim.
func TestBatchClaimIsTheSame(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		odd := map[string]func(*Delivery){
			`"\<&>é` + "\u2028\u001f": func(*Delivery) {},
			"message":                 func(d *Delivery) { d.Message = []byte{0, 1, 0xff, '"'} },
			"empty":                   func(d *Delivery) { d.Message = []byte{} },
			"none":                    func(d *Delivery) { d.Message = nil },
			"long":                    func(d *Delivery) { d.Message = make([]byte, maxMessage+1) },
		}
		for key, change := range odd {
			for n, result := range [][]byte{nil, {}, {0, 0xff, '"'}} {
				var claims, completions []string
				for _, in := range []string{"run", "batch"} {
					d := delivery(fmt.Sprint(key, in, n))
					d.Message = []byte("a message")
					change(&d)
					key := d.Fields["body"].(map[string]any)["order"].(string)
					act := func(_ context.Context, op *Operation) error {
						claims = append(claims, r.comparable(key))
						op.SetResult(result)
						return nil
					}
					if in == "run" {
						if _, err := r.guard(lookupJob()).Run(context.Background(), d, act); err != nil {
							t.Fatal(err)
						}
					} else {
						r.wantTold(r.runBatch(r.guard(lookupJob()), act, d, delivery(key+"other")), "completed completed")
					}
					completions = append(completions, r.comparable(key))
				}
				if claims[0] != claims[1] || completions[0] != completions[1] {
					t.Errorf("%q:\n%s\n%s", key, strings.Join(claims, "\n"), strings.Join(completions, "\n"))
				}
			}
		}
	})
}

// comparable is all of a record that two operations have alike.
func (r *rig) comparable(key string) (text string) {
	for _, column := range strings.Fields("state lease_ms claimed_by policy acts given_up vanished lookups fingerprint fingerprint_fields message result completion held_at") {
		text += column + "=" + r.column(key, column) + " "
	}
	return text
}

// Records in every state: each delivery of a batch gets what it gets by Run.
func TestBatchOfEverything(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, policy := range []job.Policy{job.Hold, job.Lookup} {
			var batch []Delivery
			var all []scenario
			acts := map[string]Act{}
			for _, s := range scenarios(r) {
				if s.job.Stale.Policy != policy {
					continue
				}
				key := s.name + " " + string(policy)
				s.before(r, key)
				acts[key] = s.acting(r)
				batch, all = append(batch, delivery(key)), append(all, s)
			}
			got := r.runBatch(r.guard(all[0].job), byKey(acts, nil), batch...)
			for i, s := range all {
				key := s.name + " " + string(policy)
				if e := got.by[i]; e.Outcome != s.want || e.Failure != nil || e.Key != key {
					t.Errorf("%s: %+v, want %s", key, e, s.want)
				}
				r.wantRecord(key, s.record)
				r.wantEffects(key, s.effects)
			}
		}
	})
}

func TestBatchOfWhatIsNotClaimed(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		r.vanish(g, "live", true)
		r.vanish(g, "held", true)
		r.stale("held")
		r.run(g, "held")
		r.run(g, "other")
		got := r.runBatch(g, r.till.charge, delivery("live"), delivery("held"), deliveryOf("other", "13"), delivery("None"), Delivery{}, delivery("new"))
		r.wantTold(got, "live held mismatch error error completed")
		if e := got.by[3]; !errors.Is(e.Failure, ErrKey) {
			t.Error(e)
		}
		if wait := got.by[0].RetryAfter; wait < lease-10*time.Second || wait > lease {
			t.Errorf("live for %s", wait)
		}
		if got.order[len(got.order)-1] != 5 {
			t.Errorf("told in the order %v: what needs no act waited for one", got.order)
		}
		r.wantEffects("new", 1)
		r.wantEffects("other", 1)
	})
}

// The second delivery of one operation never acts, however the first one ended.
func TestBatchOfOneOperationTwice(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for name, c := range map[string]struct {
			first, second Act
			amount        string
			want          string
			effects       int
		}{
			"completed":     {r.till.charge, nil, "12", "completed repeat", 1},
			"unknown":       {r.timingOut, nil, "12", "given_up live", 1},
			"refused":       {refusing, nil, "12", "released live", 0},
			"other content": {r.till.charge, nil, "13", "completed mismatch", 1},
		} {
			acts := 0
			act := func(ctx context.Context, op *Operation) error { acts++; return c.first(ctx, op) }
			got := r.runBatch(r.guard(holdJob()), act, delivery(name), deliveryOf(name, c.amount))
			r.wantTold(got, c.want)
			if acts != 1 || r.till.count(name) != c.effects {
				t.Errorf("%s: acted %d times, %d effects", name, acts, r.till.count(name))
			}
			if e := got.by[1]; e.Outcome == Live && e.RetryAfter != time.Second {
				t.Errorf("%s: %+v", name, e)
			}
		}
	})
}

// In a group nothing overtakes what must come again; another group goes on.
func TestBatchGroups(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		hold := r.guard(holdJob())
		for name, c := range map[string]struct {
			before func(key string)
			act    Act
			want   string // of two in the group, the second being this one, and a third; and one of another group
		}{
			"completes": {nil, r.till.charge, "completed completed completed completed"},
			"repeat":    {func(key string) { r.run(hold, key) }, nil, "completed repeat completed completed"},
			"held":      {func(key string) { r.vanish(hold, key, true); r.stale(key) }, nil, "completed held completed completed"},
			"live":      {func(key string) { r.vanish(hold, key, true) }, nil, "completed live unacted completed"},
			"refused":   {nil, refusing, "completed released unacted completed"},
			"unknown":   {nil, r.timingOut, "completed given_up unacted completed"},
			"not completed": {func(key string) { r.vanish(hold, key, true); r.stale(key); r.set(key, "acts = 0") }, func(ctx context.Context, op *Operation) error {
				r.faults.cut("complete", 1, false, errRefused{})
				return r.till.charge(ctx, op)
			}, "completed error unacted unacted"},
		} {
			if c.before != nil {
				c.before(name + "2")
			}
			var order []string
			act := byKey(map[string]Act{name + "2": c.act}, r.till.charge)
			batch := append(grouped("a", name+"1", name+"2", name+"3"), grouped("b", name+"4")...)
			got := r.runBatch(hold, func(ctx context.Context, op *Operation) error {
				order = append(order, op.Key)
				return act(ctx, op)
			}, batch...)
			r.wantTold(got, c.want)
			if !slices.IsSorted(order) {
				t.Errorf("acted in the order %v", order)
			}
			if got.by[2].Outcome == Released {
				r.wantRecord(name+"3", "state=claimed acts=0 given_up=1")
				r.wantEffects(name+"3", 0)
				if a, b := slices.Index(got.order, 2), slices.Index(got.order, 1); a > b {
					t.Errorf("%s: told in the order %v", name, got.order)
				}
			}
		}
		// The later ones are told from the last to the first.
		got := r.runBatch(hold, refusing, grouped("a", "w", "x", "y", "z")...)
		if fmt.Sprint(got.order) != "[3 2 1 0]" {
			t.Errorf("told in the order %v", got.order)
		}
		bad := append([]Delivery{{Group: "a"}}, grouped("a", "after")...)
		r.wantTold(r.runBatch(hold, r.till.charge, bad...), "error unacted")
		r.wantEffects("after", 0)
	})
}
