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

// sending is one verb as a worker sends it; it answers whether the record was changed.
type sending func(ctx context.Context, g *Guard, c claimed) (bool, error)

// sendTakeOver shows what was seen; without a token, the record's own.
func sendTakeOver(seen record, extra time.Duration) sending {
	return func(ctx context.Context, g *Guard, c claimed) (bool, error) {
		fresh := c
		fresh.token = newToken()
		seen := seen
		if seen.token == "" {
			seen.token = c.token
		}
		return g.records.takeOver(ctx, fresh, seen, extra)
	}
}

func sendHold(acts int) sending {
	return func(ctx context.Context, g *Guard, c claimed) (bool, error) {
		return g.records.hold(ctx, c, record{token: c.token, acts: acts}, holdVanished)
	}
}

func sendActAgain(acts int) sending {
	return func(ctx context.Context, g *Guard, c claimed) (bool, error) { return g.records.actAgain(ctx, c, acts) }
}

func sendComplete(as string) sending {
	return func(ctx context.Context, g *Guard, c claimed) (bool, error) {
		return g.records.complete(ctx, c, as, []byte("r"))
	}
}

func sendRelease(ctx context.Context, g *Guard, c claimed) (bool, error) {
	return g.records.release(ctx, c, newToken())
}

func sendGiveUp(ctx context.Context, g *Guard, c claimed) (bool, error) {
	return g.records.giveUp(ctx, c, settle, 1)
}

func sendLateFinish(ctx context.Context, g *Guard, c claimed) (bool, error) {
	return g.records.lateFinish(ctx, c)
}

// another is with a token that is not the record's.
func another(s sending) sending {
	return func(ctx context.Context, g *Guard, c claimed) (bool, error) {
		c.token = newToken()
		return s(ctx, g, c)
	}
}

// tooLate are the verbs, each in a state in which it must do nothing.
var tooLate = []struct {
	name, state string
	send        sending
}{
	{"take over", "live", sendTakeOver(record{acts: 1}, 0)},
	{"take over", "held", sendTakeOver(record{acts: 1}, 0)},
	{"take over", "completed", sendTakeOver(record{acts: 1}, 0)},
	{"take over with other acts", "stale", sendTakeOver(record{acts: 2}, 0)},
	{"take over from another", "stale", sendTakeOver(record{token: newToken(), acts: 1}, 0)},
	{"take over before the settle time", "stale", sendTakeOver(record{acts: 1}, settle+time.Second)},
	{"hold", "live", sendHold(1)},
	{"hold", "held", sendHold(1)},
	{"hold", "completed", sendHold(1)},
	{"hold", "no doubt", sendHold(0)},
	{"hold with other acts", "stale", sendHold(2)},
	{"another's hold", "stale", another(sendHold(1))},
	{"act again", "held", sendActAgain(1)},
	{"act again", "completed", sendActAgain(1)},
	{"act again from other acts", "live", sendActAgain(2)},
	{"another's act again", "live", another(sendActAgain(1))},
	{"complete", "completed", sendComplete(completionActed)},
	{"another's complete", "live", another(sendComplete(completionActed))},
	{"another's complete", "held", another(sendComplete(completionFound))},
	{"release", "held", sendRelease},
	{"release", "completed", sendRelease},
	{"release", "no doubt", sendRelease},
	{"another's release", "live", another(sendRelease)},
	{"give up", "held", sendGiveUp},
	{"give up", "completed", sendGiveUp},
	{"give up", "given up", sendGiveUp},
	{"another's give up", "live", another(sendGiveUp)},
	{"own late finish", "live", sendLateFinish},
}

// Zero rows, and not a byte of the record is other than before. A statement may arrive
// late, after the one that replaced it.
func TestVerbsThatComeTooLate(t *testing.T) {
	ctx := context.Background()
	onEach(t, func(t *testing.T, r *rig) {
		for _, c := range tooLate {
			key := c.name + ", " + c.state
			g := r.guard(holdJob())
			a := r.vanish(g, key, false)
			recordStates[c.state](r, key)
			before := r.whole(key)
			if changed, err := c.send(ctx, g, a.claimed); changed || err != nil {
				t.Errorf("%s: changed %v, %v", key, changed, err)
			}
			if after := r.whole(key); after != before {
				t.Errorf("%s:\n%s\n%s", key, before, after)
			}
		}
		a := r.vanish(r.guard(holdJob()), "late", false)
		recordStates["late"](r, "late")
		first := r.column("late", "late_finish_at")
		if changed, err := sendLateFinish(ctx, r.guard(holdJob()), a.claimed); !changed || err != nil || r.column("late", "late_finish_at") != first {
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
