package admin

import (
	"fmt"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// A message comes again long afterwards. For as long as prune keeps the record nothing
// is acted on; what is held or claimed it keeps for ever. Once the record is deleted
// nobody can tell it from a new operation, and it is acted on: the control, and why
// records are kept for longer than any redelivery may take.
func TestRedeliveryAndPrune(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, policy := range []job.Policy{job.Hold, job.AcceptMiss} {
			s := newShop(r, policy)
			message := func(name string) string { return fmt.Sprintf(`{"order":"%s %s"}`, name, policy) }
			key := func(name string) string { return name + " " + string(policy) }
			for _, name := range []string{"young", "old"} {
				s.deliver(message(name), nil)
			}
			r.insert(r.claimed(key("claimed"), values{"claimed_at": r.ago(2 * cut), "policy": quote(string(policy))}), r.claimed(key("held"), r.held("unknown_outcome", 2*cut)))
			r.exec("UPDATE idempotency_records SET completed_at = " + r.ago(cut-time.Minute) + " WHERE operation_key = " + quote(key("young")))
			r.exec("UPDATE idempotency_records SET completed_at = " + r.ago(cut+time.Minute) + " WHERE operation_key = " + quote(key("old")))
			if done := r.prune(PruneOptions{Apply: true, EvidenceToo: true}); done.Deleted != 1 {
				t.Errorf("%+v", done)
			}
			charged := s.charged
			if res := s.deliver(message("young"), nil); !res.Repeat {
				t.Errorf("%s, young: %+v", policy, res)
			}
			if res := s.deliver(message("held"), nil); res.Outcome != twiceproof.Held {
				t.Errorf("%s, held: %+v", policy, res)
			}
			want := map[job.Policy]twiceproof.Outcome{job.Hold: twiceproof.Held, job.AcceptMiss: twiceproof.Completed}[policy]
			if res := s.deliver(message("claimed"), nil); res.Outcome != want || s.charged != charged {
				t.Errorf("%s, claimed: %+v, %d effects", policy, res, s.charged-charged)
			}
			if res := s.deliver(message("old"), nil); res.Repeat || s.charged != charged+1 {
				t.Errorf("%s, control: %+v, %d effects", policy, res, s.charged-charged)
			}
		}
	})
}
