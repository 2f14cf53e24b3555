package twiceproof

import (
	"context"
	"testing"
	"time"
)

// recordStates turn a claim just made into a record in some state.
var recordStates = map[string]func(r *rig, key string){
	"live":  func(*rig, string) {},
	"stale": func(r *rig, key string) { r.stale(key) },
	"held": func(r *rig, key string) {
		r.stale(key)
		r.run(r.guard(holdJob()), key)
	},
	"completed": func(r *rig, key string) {
		r.set(key, "state = 'completed', completion = 'resolved', completed_at = claimed_at")
	},
	"given up": func(r *rig, key string) { r.set(key, "given_up = (1 = 1)") },
	"no doubt": func(r *rig, key string) { r.stale(key); r.set(key, "acts = 0") },
	"late": func(r *rig, key string) {
		r.stale(key)
		r.set(key, "claim_token = '"+newToken()+"', late_finish_at = claimed_at")
	},
}

// Each verb in a state in which it must do nothing: zero rows, and not a byte of
// the record is other than before. A statement may arrive late, after the one
// that replaced it.
func TestVerbsThatComeTooLate(t *testing.T) {
	ctx := context.Background()
	type verb func(g *Guard, c claimed) (bool, error)
	var (
		takeOver = func(seen record, extra time.Duration) verb {
			return func(g *Guard, c claimed) (bool, error) {
				fresh := c
				fresh.token = newToken()
				seen := seen
				if seen.token == "" {
					seen.token = c.token
				}
				return g.records.takeOver(ctx, fresh, seen, extra)
			}
		}
		hold = func(acts int) verb {
			return func(g *Guard, c claimed) (bool, error) {
				return g.records.hold(ctx, c, record{token: c.token, acts: acts}, holdVanished)
			}
		}
		again = func(acts int) verb {
			return func(g *Guard, c claimed) (bool, error) { return g.records.actAgain(ctx, c, acts) }
		}
		complete = func(as string) verb {
			return func(g *Guard, c claimed) (bool, error) { return g.records.complete(ctx, c, as, []byte("r")) }
		}
		release = func(g *Guard, c claimed) (bool, error) { return g.records.release(ctx, c, newToken()) }
		giveUp  = func(g *Guard, c claimed) (bool, error) { return g.records.giveUp(ctx, c, settle, 1) }
		late    = func(g *Guard, c claimed) (bool, error) { return g.records.lateFinish(ctx, c) }
		other   = func(v verb) verb {
			return func(g *Guard, c claimed) (bool, error) { c.token = newToken(); return v(g, c) }
		}
	)
	one := record{acts: 1}
	onEach(t, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			name, state string
			verb        verb
		}{
			{"take over", "live", takeOver(one, 0)},
			{"take over", "held", takeOver(one, 0)},
			{"take over", "completed", takeOver(one, 0)},
			{"take over with other acts", "stale", takeOver(record{acts: 2}, 0)},
			{"take over from another", "stale", takeOver(record{token: newToken(), acts: 1}, 0)},
			{"take over before the settle time", "stale", takeOver(one, settle+time.Second)},
			{"hold", "live", hold(1)},
			{"hold", "held", hold(1)},
			{"hold", "completed", hold(1)},
			{"hold", "no doubt", hold(0)},
			{"hold with other acts", "stale", hold(2)},
			{"another's hold", "stale", other(hold(1))},
			{"act again", "held", again(1)},
			{"act again", "completed", again(1)},
			{"act again from other acts", "live", again(2)},
			{"another's act again", "live", other(again(1))},
			{"complete", "completed", complete(completionActed)},
			{"another's complete", "live", other(complete(completionActed))},
			{"another's complete", "held", other(complete(completionFound))},
			{"release", "held", release},
			{"release", "completed", release},
			{"release", "no doubt", release},
			{"another's release", "live", other(release)},
			{"give up", "held", giveUp},
			{"give up", "completed", giveUp},
			{"give up", "given up", giveUp},
			{"another's give up", "live", other(giveUp)},
			{"own late finish", "live", late},
		} {
			key := c.name + ", " + c.state
			g := r.guard(holdJob())
			a := r.vanish(g, key, false)
			recordStates[c.state](r, key)
			before := r.whole(key)
			if changed, err := c.verb(g, a.claimed); changed || err != nil {
				t.Errorf("%s: changed %v, %v", key, changed, err)
			}
			if after := r.whole(key); after != before {
				t.Errorf("%s:\n%s\n%s", key, before, after)
			}
		}
		a := r.vanish(r.guard(holdJob()), "late", false)
		recordStates["late"](r, "late")
		first := r.column("late", "late_finish_at")
		if changed, err := late(r.guard(holdJob()), a.claimed); !changed || err != nil || r.column("late", "late_finish_at") != first {
			t.Errorf("a second late finish: %v, %v", changed, err)
		}
	})
}

// Sent again while the record has not moved, each verb is right a second time.
func TestCompleteAgain(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(holdJob())
		a := r.vanish(g, "k", true)
		for range 2 {
			if mine, err := g.records.complete(context.Background(), a.claimed, completionActed, []byte("r")); !mine || err != nil {
				t.Errorf("%v, %v", mine, err)
			}
			if r.column("k", "held_at") != "null" {
				r.wantRecord("k", "state=completed result=r completed_at="+r.column("k", "held_at"))
			}
			r.stale("k")
			r.set("k", "completed_at = claimed_at, held_at = claimed_at") // the first time, kept aside
		}
	})
}

// Acts count on through every attempt that may be out.
func TestActsCountOn(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		r.vanish(g, "k", false)
		for want := range 3 {
			r.stale("k")
			_, returned := outside(func() {
				_, _ = g.Run(context.Background(), delivery("k"), func(context.Context, *Operation) error { panic("out of paper") })
			})
			r.wantRecord("k", "state=claimed given_up=1 acts="+string(rune('2'+want)))
			if returned {
				t.Error("the body returned")
			}
		}
		r.stale("k")
		r.wantOutcome(r.run(g, "k"), Completed, true)
		r.wantRecord("k", "completion=acted acts=5 vanished=1")
		r.wantEffects("k", 1)
	})
}
