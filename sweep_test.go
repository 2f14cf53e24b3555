package twiceproof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/job"
)

// pushes is the queue: it counts what was put back, by key.
type pushes struct {
	mu   sync.Mutex
	of   map[string]int
	fail func(key string) error
}

func orderOf(message []byte) (order string) {
	var m struct{ Order string }
	_ = json.Unmarshal(message, &m)
	return m.Order
}

func (p *pushes) putBack(_ context.Context, message []byte) error {
	key := orderOf(message)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(key); err != nil {
			return err
		}
	}
	if p.of == nil {
		p.of = map[string]int{}
	}
	p.of[key]++
	return nil
}

func (p *pushes) count(key string) int { p.mu.Lock(); defer p.mu.Unlock(); return p.of[key] }

func storedFields(message []byte) (job.Fields, error) {
	if !json.Valid(message) {
		return nil, errors.New("no JSON")
	}
	return deliveryOf(orderOf(message), "12").Fields, nil
}

func (r *rig) sweeper(j job.Job) *Sweeper {
	r.t.Helper()
	s, err := NewSweeper(r.db, r.d.dialect, j, r.table)
	if err != nil {
		r.t.Fatal(err)
	}
	for text, verb := range map[string]string{s.records.sql.Stale: "stale", s.records.sql.Message: "message", s.records.sql.Requeue: "requeue"} {
		r.faults.verbs[text], r.faults.verbs[dialect.NewPositional(text).SQL] = verb, verb
	}
	return s
}

// swept is one sweep that must reach its end.
func (r *rig) swept(s *Sweeper, o SweepOptions) (SweepReport, []Swept) {
	r.t.Helper()
	report, all, err := collect(context.Background(), s, o)
	if err != nil {
		r.t.Fatal(err)
	}
	return report, all
}

func collect(ctx context.Context, s *Sweeper, o SweepOptions) (SweepReport, []Swept, error) {
	var all []Swept
	each := o.Each
	o.Each = func(a Swept) {
		all = append(all, a)
		if each != nil {
			each(a)
		}
	}
	report, err := s.Sweep(ctx, o)
	return report, all, err
}

func applying(p *pushes) SweepOptions {
	return SweepOptions{Apply: true, PutBack: p.putBack, Fields: storedFields}
}

// requeuedAgo makes the last put back that much older.
func (r *rig) requeuedAgo(key string, by time.Duration) {
	r.t.Helper()
	r.set(key, "requeued_at = "+r.before("requeued_at", by))
}

// letGo leaves a claim as a worker that let go: released, or unknown.
func (r *rig) letGo(g *Guard, key string, why error) {
	r.t.Helper()
	r.runWith(g, key, func(ctx context.Context, op *Operation) error {
		if !isNotApplied(why) {
			_ = r.till.charge(ctx, op)
		}
		return why
	})
}

// Each policy, each way to become stale: told alike dry and applied, and then the
// delivery that comes follows the policy.
func TestSweepPolicies(t *testing.T) {
	type want struct{ action, reason, record string }
	back := func(reason string) want {
		return want{"put_back", reason, "state=claimed requeues=1 requeued_at=set message=set"}
	}
	held := func(reason string) want {
		return want{"hold", reason, "state=held hold_reason=" + reason + " requeues=0 requeued_at=null message=set held_at=set"}
	}
	assumed := func(reason string) want {
		return want{"assume", reason, "state=completed completion=assumed requeues=0 message=null"}
	}
	for policy, wants := range map[job.Policy][3]want{ // vanished, unknown, released
		job.Hold:            {held(holdVanished), held(holdUnknown), back(staleReleased)},
		job.Lookup:          {back(holdVanished), back(holdUnknown), back(staleReleased)},
		job.Resend:          {back(holdVanished), back(holdUnknown), back(staleReleased)},
		job.AcceptDuplicate: {back(holdVanished), back(holdUnknown), back(staleReleased)},
		job.AcceptMiss:      {assumed(holdVanished), assumed(holdUnknown), back(staleReleased)},
	} {
		t.Run(string(policy), func(t *testing.T) {
			onEach(t, func(t *testing.T, r *rig) {
				g, s, queue := r.guard(withPolicy(policy)), r.sweeper(withPolicy(policy)), &pushes{}
				r.vanish(g, "1 vanished", true)
				r.letGo(g, "2 unknown", errTill)
				r.letGo(g, "3 released", NotApplied(errTill))
				r.vanish(g, "4 live", false)
				r.run(g, "5 done")
				keys := []string{"1 vanished", "2 unknown", "3 released"}
				r.stale(keys[0])
				r.age(keys[1], lease+2*settle)
				r.age(keys[2], lease)
				for _, key := range keys {
					r.firstClaimed(key, 5*time.Minute)
				}
				before := r.all()
				dry, told := r.swept(s, SweepOptions{Fields: storedFields})
				if after := r.all(); after != before || len(queue.of) > 0 {
					t.Errorf("a dry sweep changed\n%s\nto\n%s", before, after)
				}
				report, done := r.swept(s, applying(queue))
				if report != dry || len(done) != 3 || len(told) != 3 {
					t.Fatalf("dry %+v %+v, applied %+v %+v", dry, told, report, done)
				}
				for i, key := range keys {
					if a := done[i]; a.Key != key || a.Action != wants[i].action || a.Reason != wants[i].reason || !a.Done || told[i].Done || a.Age < 5*time.Minute-time.Second || a.Stale < 0 {
						t.Errorf("%s: %+v", key, a)
					}
					r.wantRecord(key, wants[i].record)
					if n := queue.count(key); n != map[bool]int{true: 1}[wants[i].action == "put_back"] {
						t.Errorf("%s: put back %d times", key, n)
					}
				}
				again, _ := r.swept(s, applying(queue))
				if again != (SweepReport{Waiting: report.PutBack}) {
					t.Errorf("at once again: %+v", again)
				}
				for key := range queue.of {
					r.wantOutcome(r.run(g, key), Completed, true)
				}
				r.wantEffects("3 released", 1)
				if extra := r.till.count("1 vanished"); extra > 1 && policy != job.AcceptDuplicate && policy != job.Resend {
					t.Errorf("%d effects", extra)
				}
				r.wantRecord("4 live", "state=claimed requeues=0")
			})
		})
	}
}

// all is every record.
func (r *rig) all() string {
	r.t.Helper()
	rows, err := r.plain.QueryContext(context.Background(), "SELECT operation_key FROM "+r.table+" ORDER BY operation_key")
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var keys []string
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			r.t.Fatal(err)
		}
		keys = append(keys, key)
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	var text strings.Builder
	for _, key := range keys {
		text.WriteString(r.whole(key) + "\n")
	}
	return text.String()
}

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
		r.letGo(g, "released", NotApplied(errTill))
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

// A claim from before the job's effect was moved into the database.
func TestSweepOfOwnRows(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.vanish(r.guard(lookupJob()), "k", false)
		r.vanish(r.guard(lookupJob()), "no doubt", false)
		r.vanish(r.guard(lookupJob()), "live", false)
		r.set("no doubt", "acts = 0")
		r.stale("k")
		r.stale("no doubt")
		r.runTx(r.guard(ownRowJob()), "row")
		queue := &pushes{}
		if report, _ := r.swept(r.sweeper(ownRowJob()), applying(queue)); report != (SweepReport{Held: 2}) {
			t.Errorf("%+v", report)
		}
		r.wantRecord("k", "state=held hold_reason=mode_changed")
		r.wantRecord("no doubt", "state=held hold_reason=mode_changed")
		r.wantRecord("live", "state=claimed")
	})
}

func TestSweepRefusals(t *testing.T) {
	r := newRig(t, databaseOf(SQLite))
	if _, err := r.sweeper(holdJob()).Sweep(context.Background(), SweepOptions{Apply: true}); err == nil {
		t.Error("applies without PutBack")
	}
	bad := lookupJob()
	bad.Lease = 0
	_, noDB := NewSweeper(nil, SQLite, lookupJob(), "")
	_, noDialect := NewSweeper(r.db, "oracle", lookupJob(), "")
	_, noTable := NewSweeper(r.db, SQLite, lookupJob(), "a b")
	_, noJob := NewSweeper(r.db, SQLite, bad, "")
	for _, err := range []error{noDB, noDialect, noTable, noJob} {
		if err == nil || !strings.HasPrefix(err.Error(), "new sweeper: ") {
			t.Errorf("%v", err)
		}
	}
	r.exec("DROP TABLE " + r.table)
	if _, err := r.sweeper(holdJob()).Sweep(context.Background(), SweepOptions{}); err == nil || !strings.HasPrefix(err.Error(), "sweep: read stale claims: ") {
		t.Errorf("%v", err)
	}
}

// A message that the queue refuses is told and comes again after a lease; a queue
// that refuses all ends the sweep, before each operation has lost a put back.
func TestSweepWhenTheQueueRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		g, s := r.guard(lookupJob()), r.sweeper(lookupJob())
		for i := range 12 {
			key := fmt.Sprintf("%02d", i)
			r.vanish(g, key, false)
			r.stale(key)
		}
		refused := errors.New("queue refuses")
		queue := &pushes{fail: func(key string) error {
			if key[1]%2 == 1 { // each other one
				return refused
			}
			return nil
		}}
		report, all := r.swept(s, applying(queue))
		if report != (SweepReport{PutBack: 6, Failed: 6}) || !errors.Is(all[3].Err, refused) || all[3].Done {
			t.Errorf("%+v %+v", report, all)
		}
		for i := range 12 {
			r.requeuedAgo(fmt.Sprintf("%02d", i), lease)
		}
		queue.fail = func(string) error { return refused }
		report, _, err := collect(context.Background(), s, applying(queue))
		if report != (SweepReport{Failed: pushRefusals}) || !errors.Is(err, refused) {
			t.Errorf("%+v, %v", report, err)
		}
		queue.fail = nil
		if report, _ := r.swept(s, applying(queue)); report != (SweepReport{PutBack: 12 - pushRefusals, Waiting: pushRefusals}) {
			t.Errorf("the next: %+v", report)
		}
	})
}

// A reply that is lost is no action that is made twice.
func TestSweepLostReplies(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		for verb, j := range map[string]job.Job{"requeue": lookupJob(), "hold": holdJob(), "assume": withPolicy(job.AcceptMiss), "stale": lookupJob(), "message": lookupJob()} {
			for _, after := range []bool{false, true} {
				key := fmt.Sprint(verb, after)
				r.vanish(r.guard(j), key, false)
				r.stale(key)
				s, queue := r.sweeper(j), &pushes{}
				r.faults.cut(verb, 1, after, errCut)
				report, all := r.swept(s, applying(queue))
				lost := after && verb != "stale" && verb != "message"
				if len(all) != 1 || (report.Failed == 1) != lost || errors.Is(all[0].Err, errReplyLost) != lost || r.faults.count() != 1 {
					t.Errorf("%s: %+v, %+v, %d faults", key, report, all, r.faults.count())
				}
				if n := queue.count(key); n > 1 || lost && n > 0 {
					t.Errorf("%s: put back %d times", key, n)
				}
				r.faults.set(nil)
				if verb == "requeue" && lost {
					r.requeuedAgo(key, lease)
					r.swept(s, applying(queue))
					if queue.count(key) != 1 {
						t.Errorf("%s: never put back", key)
					}
				}
				r.exec("DELETE FROM " + r.table)
			}
		}
	})
}
