package twiceproof

import (
	"context"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

func TestMismatch(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		hold, look := r.guard(holdJob()), r.guard(lookupJob())
		r.run(hold, "completed")
		r.vanish(hold, "live", false)
		r.vanish(hold, "held", false)
		r.stale("held")
		r.run(hold, "held")
		r.vanish(look, "stale", true)
		r.stale("stale")
		total := r.till.total()
		for _, key := range []string{"completed", "live", "held", "stale"} {
			before := r.whole(key)
			for _, g := range []*Guard{hold, look} {
				res, err := g.Run(context.Background(), deliveryOf(key, "99"), r.till.charge)
				if err != nil {
					t.Fatal(err)
				}
				r.wantOutcome(res, Mismatch, false)
			}
			if after := r.whole(key); after != before {
				t.Errorf("%s changed:\n%s\n%s", key, before, after)
			}
		}
		if r.till.total() != total || r.till.lookUps() != 0 {
			t.Error("a mismatch acted or looked up")
		}
	})
}

// A release that compares one more field, and a record without a fingerprint,
// are no mismatch.
func TestOtherListOfFields(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.run(r.guard(holdJob()), "k")
		more, none := holdJob(), holdJob()
		more.Operation.Fingerprint = append(more.Operation.Fingerprint, job.MustParsePath("body.currency"))
		none.Operation.Fingerprint = nil
		r.wantOutcome(r.run(r.guard(more), "k"), Completed, true)
		r.wantOutcome(r.run(r.guard(none), "k"), Completed, true)
		r.run(r.guard(none), "bare")
		r.wantRecord("bare", "fingerprint=null fingerprint_fields=null")
		r.wantOutcome(r.run(r.guard(holdJob()), "bare"), Completed, true)
		r.wantEffects("k", 1)
		r.wantEffects("bare", 1)
	})
}

// A deploy that computes references otherwise does not change one in use.
func TestStoredReference(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g := r.guard(lookupJob())
		for _, acts := range []string{"0", "1"} {
			r.vanish(g, acts, false)
			r.set(acts, "reference = 'from-the-first-claim', acts = "+acts)
			r.stale(acts)
			got := ""
			r.wantOutcome(r.runWith(g, acts, func(_ context.Context, op *Operation) error { got = op.Reference; return nil }), Completed, true)
			if got != "from-the-first-claim" {
				t.Errorf("acts %s: reference %s", acts, got)
			}
			r.wantRecord(acts, "reference=from-the-first-claim")
		}
	})
}
