package twiceproof

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// frozen makes the database's clock stand still for a sweeper.
func (r *rig) frozen(s *Sweeper) (at func(before time.Duration) string) {
	clock, now := "statement_timestamp()", "timestamptz '2031-02-03 04:05:06+00'"
	at = func(d time.Duration) string {
		return fmt.Sprintf("%s - %d * interval '1 microsecond'", now, d.Microseconds())
	}
	switch r.d.dialect {
	case MySQL:
		clock, now = "UTC_TIMESTAMP(6)", "TIMESTAMP '2031-02-03 04:05:06'"
		at = func(d time.Duration) string {
			return fmt.Sprintf("%s - INTERVAL %d MICROSECOND", now, d.Microseconds())
		}
	case SQLite:
		clock, now = "CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)", "1927857906000"
		at = func(d time.Duration) string { return fmt.Sprintf("%s - %d", now, d.Milliseconds()) }
	}
	q := &s.records.sql
	for _, text := range []*string{&q.Stale, &q.Requeue, &q.Hold, &q.Assume} {
		*text = strings.ReplaceAll(*text, clock, now)
	}
	return at
}

// To the millisecond: a claim just younger than its lease is left alone, and so is
// one that was put back just less than a lease ago.
func TestSweepBoundary(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for _, j := range everyPolicy() {
			g, s, queue := r.guard(j), r.sweeper(j), &pushes{}
			at := r.frozen(s)
			name := func(what string) string { return string(j.Stale.Policy) + " " + what }
			for what, age := range map[string]time.Duration{"young": j.StoredLease() - time.Millisecond, "stale": j.StoredLease()} {
				r.vanish(g, name(what), false)
				r.set(name(what), "claimed_at = "+at(age)+", first_claimed_at = "+at(age))
			}
			_, all := r.swept(s, applying(queue))
			if len(all) != 1 || all[0].Key != name("stale") || all[0].Stale != 0 || all[0].Age != j.StoredLease() {
				t.Errorf("%+v", all)
			}
			r.wantRecord(name("young"), "state=claimed requeues=0")
			// A write that is decided too early changes nothing.
			young := staleRecord{key: name("young"), record: record{token: r.token(name("young")), acts: 1}}
			requeued, err := s.records.requeue(context.Background(), young, 0)
			held, err2 := s.records.hold(context.Background(), claimed{key: young.key}, young.record, holdMessage)
			if requeued || held || err != nil || err2 != nil {
				t.Errorf("changed a live claim: %v %v %v %v", requeued, held, err, err2)
			}
			// Nor does one that was decided from another record than there is.
			seen := staleRecord{key: name("stale"), record: record{token: r.token(name("stale")), acts: 1}, requeues: queue.count(name("stale"))}
			for _, other := range []func(*staleRecord){
				func(s *staleRecord) { s.token = newToken() }, func(s *staleRecord) { s.acts++ }, func(s *staleRecord) { s.requeues++ },
			} {
				not := seen
				other(&not)
				if requeued, err := s.records.requeue(context.Background(), not, 0); requeued || err != nil {
					t.Errorf("%+v was marked, %v", not, err)
				}
			}
			if queue.count(name("stale")) == 1 {
				for ago, want := range map[time.Duration]int{lease - time.Millisecond: 0, lease: 1} {
					r.set(name("stale"), "requeued_at = "+at(ago))
					if report, _ := r.swept(s, SweepOptions{}); report.PutBack != want || report.Waiting != 1-want {
						t.Errorf("put back %s ago: %+v", ago, report)
					}
				}
			}
			r.exec("DELETE FROM " + r.table)
		}
		// The control: a page that is a millisecond early shows the young one.
		s := r.sweeper(lookupJob())
		at := r.frozen(s)
		r.vanish(r.guard(lookupJob()), "young", false)
		r.vanish(r.guard(lookupJob()), "zzz", false) // so that the page does not end with it
		r.set("young", "claimed_at = "+at(lease+settle-time.Millisecond))
		page := func() int { p, _ := s.page(context.Background(), ""); return len(p) }
		right := page()
		s.records.sql.Stale = strings.NewReplacer("claimed_at + lease_ms", "claimed_at + (lease_ms - 1)", "stale_ms >= 0", "stale_ms >= -1").Replace(s.records.sql.Stale)
		if right != 1 || page() != 2 {
			t.Errorf("pages of %d and %d", right, page())
		}
	})
}

// Nobody takes the messages: five times, a lease apart, and then a person has it.
func TestSweepIsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g, s, queue := r.guard(lookupJob()), r.sweeper(lookupJob()), &pushes{}
		r.vanish(g, "k", true)
		r.handIn(g, "released", NotApplied(errTill))
		for range 20 {
			r.stale0("k")
			r.stale0("released")
			r.swept(s, applying(queue))
			r.swept(s, applying(queue))
		}
		for _, key := range []string{"k", "released"} {
			r.wantRecord(key, "state=held hold_reason=max_requeues requeues=5 message=set")
			if n := queue.count(key); n != 5 {
				t.Errorf("%s: put back %d times", key, n)
			}
		}
	})
}

// stale0 lets a lease and more pass for a claim that is there.
func (r *rig) stale0(key string) {
	r.t.Helper()
	if r.column(key, "state") == stateClaimed {
		r.stale(key)
		r.requeuedAgo(key, lease)
	}
}

// What cannot be put back waits for a person, without doubt or with it.
func TestSweepWithoutAMessage(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g, s, queue := r.guard(lookupJob()), r.sweeper(lookupJob()), &pushes{}
		message := map[string]string{"none": "NULL", "other order": `'{"order":"x"}'`, "no JSON": "'{'"}
		for name, value := range message {
			if r.d.dialect == Postgres && value != "NULL" {
				message[name] = "convert_to(" + value + ", 'UTF8')"
			}
		}
		for name, value := range message {
			for _, acts := range []string{"0", "1"} {
				r.vanish(g, name+acts, false)
				r.set(name+acts, "acts = "+acts+", message = "+value)
				r.age(name+acts, lease+settle) // just stale: its own message may come
			}
		}
		if report, _ := r.swept(s, applying(queue)); report != (SweepReport{Waiting: 6}) {
			t.Errorf("at once: %+v", report)
		}
		for name := range message {
			for _, acts := range []string{"0", "1"} {
				r.age(name+acts, lease)
			}
		}
		report, all := r.swept(s, applying(queue))
		if report != (SweepReport{Held: 6}) || len(queue.of) > 0 {
			t.Errorf("%+v, put back %v", report, queue.of)
		}
		for _, a := range all {
			want := holdOther
			if strings.HasPrefix(a.Key, "none") {
				want = holdMessage
			}
			r.wantRecord(a.Key, "state=held hold_reason="+want+" requeues=0 policy=lookup")
		}
		// Without Fields nothing is compared.
		r.vanish(g, "other", false)
		r.set("other", "message = "+message["other order"])
		r.age("other", 2*lease+settle)
		o := applying(queue)
		o.Fields = nil
		if report, _ := r.swept(s, o); report.PutBack != 1 {
			t.Errorf("%+v", report)
		}
	})
}
