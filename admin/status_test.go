package admin

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestStatus(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		late := values{"late_finish_at": r.ago(time.Minute)}
		r.insert(
			r.claimed("live", values{"claimed_at": r.ago(time.Second)}),
			r.claimed("stale for less than the least", values{"claimed_at": r.ago(2 * time.Minute)}),
			r.claimed("stale", values{"claimed_at": r.ago(3 * time.Hour)}, late),
			r.claimed("released", values{"given_up": "true", "acts": "0", "lease_ms": "5"}),
			r.claimed("unknown", values{"given_up": "true", "lease_ms": "5"}),
			r.claimed("h1", r.held("unknown_outcome", time.Hour)),
			r.claimed("h2", r.held("unknown_outcome", 2*time.Hour)),
			r.claimed("h3", r.held("max_takeovers", time.Minute)),
			r.claimed("c1", r.completed("acted", time.Minute), values{"repeats": "3"}),
			r.claimed("c2", r.completed("acted", time.Minute), values{"repeats": "4"}, late),
			r.claimed("c3", r.completed("assumed", time.Minute)),
			r.claimed("c4", r.completed("found", time.Minute)),
			r.claimed("c5", r.completed("resolved", time.Minute)),
			r.claimed("c6", r.completed("backfilled", time.Minute)),
			r.claimed("x", values{"job_type": "'a mail'"}),
		)
		all, err := r.Status(t.Context(), Walk{}, func(jobType string) time.Duration {
			return map[string]time.Duration{"charge": 5 * time.Minute}[jobType]
		})
		if err != nil || len(all) != 2 {
			t.Fatalf("%+v, %v", all, err)
		}
		s := all[1]
		for name, age := range map[string][2]time.Duration{"stale": {s.OldestStale, 3*time.Hour - time.Minute}, "held": {s.OldestHeld, 2 * time.Hour}} {
			if age[0] < age[1] || age[0] > age[1]+10*time.Minute {
				t.Errorf("oldest %s %s, want %s", name, age[0], age[1])
			}
		}
		s.OldestHeld, s.OldestStale = 0, 0
		want := Status{
			JobType: "charge", Live: 1, Stale: 2, Released: 1, Unknown: 1, Overdue: 3, // all but the live one and the one of 2 minutes
			Held:      map[string]int64{"unknown_outcome": 2, "max_takeovers": 1},
			Completed: map[string]int64{"acted": 2, "assumed": 1, "found": 1, "resolved": 1, "backfilled": 1}, LateFinishes: 2, Repeats: 7,
		}
		if !reflect.DeepEqual(s, want) || s.HeldInAll() != 3 {
			t.Errorf("got  %+v\nwant %+v", s, want)
		}
		if all[0].JobType != "a mail" || all[0].Stale != 1 || all[0].Overdue != 1 {
			t.Errorf("%+v", all[0])
		}
		one, err := r.Status(t.Context(), Walk{JobType: "charge"}, nil)
		if err != nil || len(one) != 1 || one[0].JobType != "charge" {
			t.Errorf("%+v, %v", one, err)
		}
		r.exec("DROP TABLE idempotency_records")
		if _, err := r.Status(t.Context(), Walk{}, nil); err == nil {
			t.Error("no table, and no error")
		}
	})
}

// More than a page: every record is counted once.
func TestStatusPages(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, records := range []int{0, pageSize - 1, pageSize, pageSize + 1, 2*pageSize + 1} {
			r.exec("DELETE FROM idempotency_records")
			var rows []values
			for i := range records {
				rows = append(rows, r.claimed(fmt.Sprint("é ", i), r.completed("acted", time.Hour), values{"repeats": "1"}))
			}
			r.insert(rows...)
			var looked int64
			all, err := r.Status(t.Context(), Walk{JobType: "charge", Looked: func(n int64) { looked = n }}, nil)
			if n := int64(records); err != nil || all[0].Completed["acted"] != n || all[0].Repeats != n || looked != n {
				t.Errorf("%d records: %+v, looked at %d, %v", records, all, looked, err)
			}
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	r := newRig(t, databases[2])
	_, noDB := Open(nil, "sqlite", "")
	_, noDialect := Open(r.db, "oracle", "")
	_, noTable := Open(r.db, "sqlite", "a b")
	for _, err := range []error{noDB, noDialect, noTable} {
		if err == nil {
			t.Error("opened")
		}
	}
}
