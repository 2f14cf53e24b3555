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

// handIn leaves a claim that its worker released or gave up.
func (r *rig) handIn(g *Guard, key string, why error) {
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
				r.handIn(g, "2 unknown", errTill)
				r.handIn(g, "3 released", NotApplied(errTill))
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
