package admin

import (
	"fmt"
	"testing"
	"time"
)

func TestHeld(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		odd := "it's\ta \"key\"\nof é"
		r.insert(
			r.claimed("young", r.held("unknown_outcome", time.Minute), values{"late_finish_at": r.ago(time.Second), "acts": "2", "vanished": "3", "lookups": "4", "requeues": "5"}),
			r.claimed("claimed"), r.claimed("done", r.completed("acted", time.Minute)),
			r.claimed(odd, r.held("no_message", 5*time.Hour), values{"message": "NULL", "policy": "NULL"}),
			r.claimed("mail", r.held("max_acts", time.Hour), values{"job_type": "'mail'"}),
		)
		var rows []values
		for i := range pageSize + 10 {
			rows = append(rows, r.claimed(fmt.Sprint("z", i), r.completed("acted", time.Hour)))
		}
		r.insert(rows...)
		all, err := r.Held(t.Context(), Walk{})
		if err != nil || len(all) != 3 || all[0].Key != odd || all[1].Key != "mail" || all[2].Key != "young" {
			t.Fatalf("%+v, %v", all, err)
		}
		h := all[2]
		if h.JobType != "charge" || h.HoldReason != "unknown_outcome" || h.Policy != "hold" || h.ClaimedBy != "worker-1" || h.Reference != "ref-1" ||
			h.Acts != 2 || h.Vanished != 3 || h.LookUps != 4 || h.Requeues != 5 || h.LateFinishAt.IsZero() || !h.MessageStored || h.MessageBytes != 3 ||
			h.Held < time.Minute || h.Held > time.Hour || h.FirstClaimedAt.After(h.HeldAt) || time.Since(h.HeldAt).Abs() > time.Hour {
			t.Errorf("%+v", h)
		}
		if all[0].MessageStored || all[0].Policy != "" || !all[0].LateFinishAt.IsZero() {
			t.Errorf("%+v", all[0])
		}
		for i, want := range []string{"", "pay", "pay"} {
			message, there, err := r.Message(t.Context(), all[i])
			if err != nil || !there || string(message) != want || (message == nil) != (want == "") {
				t.Errorf("%q: %q %v %v", all[i].Key, message, there, err)
			}
		}
		if some, err := r.Held(t.Context(), Walk{JobType: "mail"}); err != nil || len(some) != 1 {
			t.Errorf("%+v, %v", some, err)
		}
		// The message of another hold is not shown for this one.
		h.HeldAt = h.HeldAt.Add(-time.Millisecond)
		if _, there, err := r.Message(t.Context(), h); there || err != nil {
			t.Errorf("%v %v", there, err)
		}
	})
}
