package job

import (
	"fmt"
	"slices"
	"testing"
)

func TestEndsTwice(t *testing.T) {
	nothing, claimed := Moment{}, Moment{Claimed: true}
	acted := Moment{Claimed: true, Effect: true}
	for _, c := range []struct {
		policy Policy
		at     Moment
		want   string
	}{
		{Lookup, claimed, "[{1 completed}]"}, {Lookup, acted, "[{1 completed}]"}, {Resend, acted, "[{1 completed}]"},
		{Hold, claimed, "[{0 held}]"}, {Hold, acted, "[{1 held}]"},
		{AcceptMiss, claimed, "[{0 completed}]"}, {AcceptMiss, acted, "[{1 completed}]"},
		{AcceptDuplicate, nothing, "[{1 completed}]"},
		{AcceptDuplicate, claimed, "[{0 held} {1 held} {1 completed} {2 held} {2 completed}]"},
		{AcceptDuplicate, acted, "[{1 held} {1 completed} {2 held} {2 completed}]"},
	} {
		j := Job{Effect: Effect{Kind: Outside}, Stale: Stale{Policy: c.policy}}
		if got := fmt.Sprint(j.EndsTwice(c.at)); got != c.want {
			t.Errorf("%s at %+v: %s, want %s", c.policy, c.at, got, c.want)
		}
	}
	own := Job{Effect: Effect{Kind: OwnRow}, Stale: Stale{Policy: AcceptDuplicate}}
	if got := fmt.Sprint(own.EndsTwice(acted)); got != "[{1 completed}]" {
		t.Errorf("own row: %s", got)
	}
}

// A second death permits no effect more than the first did.
func TestASecondDeathAddsNothing(t *testing.T) {
	for _, policy := range []Policy{Lookup, Resend, Hold, AcceptDuplicate, AcceptMiss} {
		j := Job{Effect: Effect{Kind: Outside}, Stale: Stale{Policy: policy}}
		most := slices.MaxFunc(j.Ends(Moment{Claimed: true, Effect: true}), func(a, b End) int { return a.Effects - b.Effects })
		for _, e := range j.EndsTwice(Moment{Claimed: true, Effect: true}) {
			if e.Effects > most.Effects {
				t.Errorf("%s: %+v", policy, e)
			}
		}
	}
}
