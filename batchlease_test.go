package twiceproof

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// All share one lease. One whose turn comes after it is released, with no doubt.
func TestBatchBeyondTheLease(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		act := byKey(map[string]Act{"2": func(ctx context.Context, op *Operation) error {
			_ = r.till.charge(ctx, op)
			<-ctx.Done()
			return context.Cause(ctx)
		}}, r.till.charge)
		got := r.runBatch(r.guard(holdJob()), act, deliveries("1", "2", "3", "4")...)
		r.wantTold(got, "completed given_up unacted unacted")
		if !errors.Is(got.by[2].Err, ErrDeadline) {
			t.Error(got.by[2].Err)
		}
		r.wantRecord("3", "state=claimed acts=0 given_up=1")
		r.wantTold(r.runBatch(r.guard(holdJob()), r.till.charge, deliveries("3", "4")...), "completed completed")
		for _, key := range []string{"1", "2", "3", "4"} {
			r.wantEffects(key, 1)
		}
	})
}

// An act that hangs does not take the completions of the others with it: they are
// stored a second later. Until then they wait for one another.
func TestBatchWithAnActThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		act := byKey(map[string]Act{"3": func(context.Context, *Operation) error {
			r.wantRecord("1", "state=claimed")
			r.wantRecord("2", "state=claimed")
			time.Sleep(2 * time.Second)
			r.wantRecord("1", "state=completed")
			r.wantRecord("2", "state=completed")
			r.wantRecord("4", "state=claimed acts=1")
			time.Sleep(10 * lease)
			return nil
		}}, r.till.charge)
		got := r.runBatch(r.guard(holdJob()), act, deliveries("1", "2", "3", "4")...)
		r.wantTold(got, "completed completed completed unacted")
		if fmt.Sprint(got.order) != "[0 1 3 2]" && fmt.Sprint(got.order) != "[0 1 2 3]" {
			t.Errorf("told in the order %v", got.order)
		}
	})
}

// An act that does not return gives its own claim up and no other.
func TestBatchWithAnActThatDoesNotReturn(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for name, end := range map[string]func(){"panic": func() { panic("boom") }, "goexit": runtime.Goexit} {
			for _, before := range []string{"new", "released", "stale"} { // the three ways into the act
				keys := []string{name + before + "1", name + before + "2", name + before + "3"}
				r.vanish(r.guardOn(r.plain, lookupJob()), keys[1], false)
				r.stale(keys[1])
				switch before {
				case "new":
					r.exec("DELETE FROM " + r.table + " WHERE operation_key = '" + keys[1] + "'")
				case "released":
					r.set(keys[1], "acts = 0")
				}
				got := &told{by: map[int]Ended{}}
				ended := make(chan any)
				go func() {
					defer func() { ended <- recover() }()
					r.guard(lookupJob()).RunBatch(context.Background(), deliveries(keys...),
						byKey(map[string]Act{keys[1]: func(ctx context.Context, op *Operation) error {
							_ = r.till.charge(ctx, op)
							end()
							return nil
						}}, r.till.charge), got.done)
				}()
				if p := <-ended; (p != nil) != (name == "panic") {
					t.Errorf("ended with %v", p)
				}
				r.wantTold(got, "completed unacted")
				r.wantRecord(keys[0], "state=completed")
				r.wantRecord(keys[1], "state=claimed given_up=1 acts="+map[string]string{"new": "1", "released": "1", "stale": "2"}[before])
				r.wantRecord(keys[2], "state=claimed acts=0")
				r.wantEffects(keys[2], 0)
			}
		}
	})
}
