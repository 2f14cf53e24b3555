package job

import (
	"fmt"
	"testing"
)

// The right results at the kill points, as the cases from the field state them:
// K2 is after the claim, K4 after the effect, K6 after the completion.
func TestEndsAtTheKillPoints(t *testing.T) {
	k0 := Moment{}
	k2 := Moment{Claimed: true}
	k4 := Moment{Claimed: true, Effect: true}
	k6 := Moment{Claimed: true, Effect: true, Completed: true}
	for _, c := range []struct {
		policy Policy
		at     Moment
		want   string
	}{
		{Lookup, k0, "[{1 completed}]"}, {Hold, k0, "[{1 completed}]"}, {AcceptMiss, k0, "[{1 completed}]"},
		{Lookup, k2, "[{1 completed}]"}, {Resend, k2, "[{1 completed}]"}, {Hold, k2, "[{0 held}]"},
		{AcceptDuplicate, k2, "[{1 completed}]"}, {AcceptMiss, k2, "[{0 completed}]"},
		{Lookup, k4, "[{1 completed}]"}, {Resend, k4, "[{1 completed}]"}, {Hold, k4, "[{1 held}]"},
		{AcceptDuplicate, k4, "[{1 completed} {2 completed}]"}, {AcceptMiss, k4, "[{1 completed}]"},
		{Lookup, k6, "[{1 completed}]"}, {Hold, k6, "[{1 completed}]"}, {AcceptDuplicate, k6, "[{1 completed}]"},
	} {
		j := Job{Effect: Effect{Kind: Outside}, Stale: Stale{Policy: c.policy}}
		if got := fmt.Sprint(j.Ends(c.at)); got != c.want {
			t.Errorf("%s at %+v: %s, want %s", c.policy, c.at, got, c.want)
		}
	}
	own := Job{Effect: Effect{Kind: OwnRow}}
	if got := fmt.Sprint(own.Ends(k4)); got != "[{1 completed}]" {
		t.Errorf("own row: %s", got)
	}
}
