package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// sendAll puts all on before a consumer starts, so that one receive gets them.
func (r *rig) sendAll(keys ...string) (ids []string) {
	r.t.Helper()
	for _, key := range keys {
		ids = append(ids, r.send(key))
	}
	return ids
}

func (r *rig) batchConsumer() Consumer {
	c := r.consumer(holdJob())
	c.Batch = maxBatch
	return c
}

var ten = strings.Fields("1 2 3 4 5 6 7 8 9 10")

// Ten messages: one receive, one delete. The control is the consumer of one.
func TestBatch(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		ids := r.sendAll(ten...)
		stop := r.start(r.batchConsumer())
		r.untilKinds(lab.Deleted, 10)
		r.untilIdle(1)
		stop()
		for i, id := range ids {
			r.wantKinds(id, "sent received deleted")
			r.wantRecord(ten[i], "completed")
			r.wantCharges(ten[i], 1)
		}
		if many, one := r.wire.made("DeleteMessageBatch"), r.wire.made("DeleteMessage"); many != 1 || one != 0 {
			t.Errorf("%d batch deletes and %d single ones", many, one)
		}
		r.wantLogged("level=WARN", 0)
		r.until("the end of the polls", func(s lab.Snapshot) bool { return s.Polling == 0 })
		r.sendAll("11", "12")
		r.start(r.consumer(holdJob()))
		r.untilKinds(lab.Deleted, 12)
		r.until("an idle worker", func(s lab.Snapshot) bool { return s.Polling == 1 })
		if one := r.wire.made("DeleteMessage"); one != 2 {
			t.Errorf("%d single deletes", one)
		}
	})
}

// Each message of a batch gets its own end, and no other's.
func TestBatchWithEveryOutcome(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		r.vanish("live", holdJob())
		c := r.batchConsumer()
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			switch {
			case op.Key == "refused":
				return twiceproof.NotApplied(errors.New("connection refused"))
			case op.Key == "unknown" && r.till.count("unknown") == 0:
				_ = r.till.charge(ctx, op)
				return errors.New("time-out after the charge")
			}
			return r.till.charge(ctx, op)
		}
		histories := map[string]string{
			r.send("good1"):       "sent received deleted",
			r.send("refused"):     "sent received",
			r.send("unknown"):     "sent received visibility_changed visibility_over received deleted",
			r.send("live"):        "sent received visibility_changed",
			r.sendBody("no JSON"): "sent received",
			r.send("good1"):       "sent received deleted",
			r.send("good2"):       "sent received deleted",
		}
		r.start(c)
		r.untilKinds(lab.Deleted, 4)
		r.untilIdle(1)
		for id, want := range histories {
			r.wantKinds(id, want)
		}
		r.wantRecord("refused", "claimed given_up")
		r.wantRecord("unknown", "held given_up")
		for key, want := range map[string]int{"good1": 1, "good2": 1, "unknown": 1, "refused": 0, "live": 0} {
			r.wantCharges(key, want)
		}
	})
}

func TestBatchDeleteThatFails(t *testing.T) {
	failed := func(code string, sender bool) hook {
		return func(q *http.Request, _ http.RoundTripper) (*http.Response, error) {
			_ = q.Body.Close()
			text := fmt.Sprintf(`{"Successful":[{"Id":"1"}],"Failed":[{"Id":"0","Code":%q,"SenderFault":%t},{"Id":"?","Code":"x","SenderFault":false}]}`, code, sender)
			return &http.Response{
				StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
				Body: io.NopCloser(strings.NewReader(text)), Request: q,
			}, nil
		}
	}
	for name, c := range map[string]struct {
		hook    hook
		singles int // deleted alone at once
	}{
		"one entry":         {failed("InternalError", false), 1},
		"one entry refused": {failed("ReceiptHandleIsInvalid", true), 0},
		"all":               {refuse(500, "InternalFailure"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3)
			r.wire.on("DeleteMessageBatch", c.hook) // which deletes none
			r.sendAll("1", "2")
			r.start(r.batchConsumer())
			r.untilKinds(lab.Received, 2)
			r.untilIdle(1)
			r.want(lab.Deleted, c.singles)
			r.wire.on("DeleteMessageBatch", nil)
			r.Advance(30 * time.Second)
			r.untilKinds(lab.Deleted, 2)
			r.want(lab.Received, 4-c.singles)
			r.wantCharges("1", 1)
			r.wantCharges("2", 1)
		})
	}
}

// The first act takes long: no message of the batch becomes visible meanwhile.
func TestBatchIsKeptInvisible(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, 3*time.Second
		ids := r.sendAll("1", "2", "3")
		r.start(c)
		take(r, entered)
		for _, id := range ids {
			r.until("renewals", renewed(id, 4))
		}
		r.want(lab.Received, 3)
		open()
		r.untilKinds(lab.Deleted, 3)
		r.want(lab.Received, 3)
		if r.wire.made("ChangeMessageVisibility") != 0 || r.wire.made("ChangeMessageVisibilityBatch") < 4 {
			t.Error("not renewed together")
		}
	})
}

// The control: without renewals another worker gets them, and the claims decide.
func TestBatchThatIsNotRenewed(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		act, entered, open := r.till.gated()
		defer open()
		c.Act, c.Workers, c.Visibility = act, 2, time.Second
		r.wire.on("ChangeMessageVisibilityBatch", refuse(500, "InternalFailure"))
		r.wire.on("ChangeMessageVisibility", refuse(500, "InternalFailure"))
		r.sendAll("1", "2", "3")
		r.start(c)
		take(r, entered)
		r.untilKinds(lab.Received, 9)
		open()
		r.untilKinds(lab.Deleted, 3)
		for _, key := range ten[:3] {
			r.wantCharges(key, 1)
			r.wantRecord(key, "completed")
		}
	})
}

// The heartbeat of one that was settled has ended, those of the others go on.
func TestBatchMessageThatIsSettledIsNotRenewed(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		gated, entered, open := r.till.gated()
		defer open()
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "1" {
				return twiceproof.NotApplied(errors.New("connection refused"))
			}
			return gated(ctx, op)
		}
		c.Visibility = 3 * time.Second
		ids := r.sendAll("1", "2")
		stop := r.start(c)
		take(r, entered)
		r.until("renewals of the other", renewed(ids[1], 6)) // longer than the visibility timeout
		r.wantKinds(ids[0], "sent received visibility_over")
		open()
		r.untilKinds(lab.Deleted, 1)
		stop()
	})
}

// The completions of a batch whose next act hangs are stored and deleted.
func TestBatchWithAnActThatHangs(t *testing.T) {
	inBubble(t, 0, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		gated, entered, open := r.till.gated()
		defer open()
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "3" {
				return gated(ctx, op)
			}
			return r.till.charge(ctx, op)
		}
		r.sendAll("1", "2", "3", "4")
		r.start(c)
		take(r, entered)
		r.untilKinds(lab.Deleted, 2)
		r.wantRecord("3", "claimed")
		r.wantRecord("4", "claimed")
		open()
		r.untilKinds(lab.Deleted, 4)
		r.wantCharges("4", 1)
	})
}

// The consumer ends in the middle of a batch: what was not begun goes back at once,
// unacted and without a doubt.
func TestBatchInTheMomentOfTheStop(t *testing.T) {
	onEach(t, 3, func(t *testing.T, r *rig) {
		c := r.batchConsumer()
		ctx, cancel := context.WithCancel(r.ctx)
		c.Grace = time.Millisecond
		c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
			if op.Key == "1" {
				return r.till.charge(ctx, op)
			}
			cancel()
			<-ctx.Done()
			return op.Check(ctx)
		}
		ids := r.sendAll("1", "2", "3", "4")
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
		r.wantKinds(ids[0], "sent received deleted")
		for i, id := range ids[1:] {
			r.wantKinds(id, "sent received visibility_changed visibility_over")
			r.wantCharges(ten[i+1], 0)
		}
		r.start(r.batchConsumer()) // the control
		r.untilKinds(lab.Deleted, 4)
		for _, key := range ten[:4] {
			r.wantCharges(key, 1)
		}
	})
}

// ledger is the outside service of the child processes: it counts the charges of
// each operation and can be asked for them.
type ledger struct {
	*outside
	mu      sync.Mutex
	charges map[string]int
	fails   map[string]bool // answers an error, charges nothing
	hangs   map[string]bool // says so, does not answer, charges nothing
	stops   map[string]bool // charges, says so, does not answer
}

func newLedger(t *testing.T) *ledger {
	l := &ledger{
		outside: &outside{charged: make(chan string, 10)},
		charges: map[string]int{}, fails: map[string]bool{}, hangs: map[string]bool{}, stops: map[string]bool{},
	}
	l.Server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(l.Close)
	return l
}

func (l *ledger) serve(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	key := string(body)
	l.mu.Lock()
	if q.Method == http.MethodGet {
		if l.charges[strings.TrimPrefix(q.URL.Path, "/")] == 0 {
			w.WriteHeader(http.StatusNotFound)
		}
		l.mu.Unlock()
		return
	}
	hangs, stops, fails := l.hangs[key], l.stops[key], l.fails[key]
	if !hangs && !fails {
		l.charges[key]++
	}
	l.mu.Unlock()
	if fails {
		w.WriteHeader(http.StatusInternalServerError)
	}
	if stops || hangs {
		l.charged <- key
		<-q.Context().Done()
	}
}

func (l *ledger) set(which map[string]bool, key string, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	which[key] = on
}

func (l *ledger) count(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.charges[key]
}

// A batch of ten: #4 raises, #7 hangs past its limit, and the process is killed
// after an effect, twice. One effect for each good reference.
func TestBatchIsKilled(t *testing.T) {
	onEach(t, 0, func(t *testing.T, r *rig) {
		l := newLedger(t)
		l.set(l.fails, "4", true)
		l.set(l.hangs, "7", true)
		ids := r.sendAll(ten...)
		for _, kill := range []string{"5", "8"} {
			l.set(l.stops, kill, true)
			cmd, _ := r.process(l.outside, 1, time.Millisecond, "CONSUMER_BATCH=10", "CONSUMER_LEASE=2s")
			for take(r, l.charged) != kill { // 7 hangs until its lease is over
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			l.set(l.stops, kill, false)
			if r.record(kill) != "claimed" {
				t.Errorf("%s was completed: the kill came too late", kill)
			}
			r.age(time.Minute)
			r.Advance(30 * time.Second)
		}
		cmd, stderr := r.process(l.outside, 1, time.Millisecond, "CONSUMER_BATCH=10", "CONSUMER_LEASE=2s")
		r.untilKinds(lab.Deleted, 8)
		r.terminate(cmd)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, stderr)
		}
		for i, key := range ten {
			want, record := 1, "completed"
			if key == "4" || key == "7" {
				want, record = 0, "claimed given_up"
			}
			if got := l.count(key); got != want {
				t.Errorf("reference of %s: %d effects, want %d", key, got, want)
			}
			r.wantRecord(key, record)
			if n := count(r.Log(queueName), lab.Deleted, ids[i]); n != want {
				t.Errorf("message of %s: deleted %d times", key, n)
			}
		}
		if c := r.Counts(queueName); c.Visible+c.InFlight != 2 {
			t.Errorf("%+v", c)
		}
	})
}

// The price of a batch: all its claims count from the start. A worker that dies in
// its first act leaves the others, not begun, to the policy as well: acted on when it
// looks up or acts again, or held. Under accept_miss, which would take them as done,
// each is claimed in its turn. The control is a batch of one.
func TestBatchKilledBeforeTheOthersBegan(t *testing.T) {
	for policy, want := range map[job.Policy]map[string]int{
		job.Lookup: {"1": 3, "10": 3}, job.AcceptDuplicate: {"1": 3, "10": 3}, job.Hold: {"1": 2, "10": 0}, job.AcceptMiss: {"1": 2, "10": 2},
	} {
		for _, batch := range []string{"1", "10"} {
			t.Run(fmt.Sprint(policy, " batch ", batch), func(t *testing.T) {
				t.Parallel()
				r, l := newRig(t, 0), newLedger(t)
				l.set(l.hangs, "1", true)
				r.sendAll("1", "2", "3")
				cmd, _ := r.process(l.outside, 1, time.Minute, "CONSUMER_BATCH="+batch, "CONSUMER_POLICY="+string(policy))
				take(r, l.charged)
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				r.age(lease + settle)
				r.Advance(30 * time.Second)
				r.start(r.consumer(policyJob(policy)))
				r.untilKinds(lab.Deleted, 3)
				if got := r.till.count("1") + r.till.count("2") + r.till.count("3"); got != want[batch] {
					t.Errorf("%d effects, want %d", got, want[batch])
				}
			})
		}
	}
}

// A panic ends the process; the others of its batch are completed and deleted or
// released on the way.
func TestBatchPanicEndsTheProcess(t *testing.T) {
	t.Parallel()
	r, o := newRig(t, 3), newOutside(t)
	ids := r.sendAll("1", "2", "3")
	cmd, stderr := r.process(o, 1, time.Minute, "CONSUMER_BATCH=10")
	take(r, o.charged)
	o.answer <- http.StatusOK
	take(r, o.charged)
	o.answer <- http.StatusTeapot
	if err := cmd.Wait(); err == nil || !strings.Contains(stderr.String(), "panic: boom") {
		t.Errorf("the process did not end with the panic: %v\n%s", err, stderr)
	}
	r.wantKinds(ids[0], "sent received deleted")
	r.wantKinds(ids[1], "sent received")
	r.wantKinds(ids[2], "sent received visibility_changed visibility_over")
	r.wantRecord("1", "completed")
	r.wantRecord("2", "claimed given_up")
	r.wantRecord("3", "claimed given_up")
	r.start(r.batchConsumer())
	r.untilKinds(lab.Deleted, 2)
	r.wantCharges("3", 1)
}

// A body that is killed each time ends held by its own budget, before the queue
// gives the message up, when maxReceiveCount is as the documentation says.
func TestPoisonMessageIsHeld(t *testing.T) {
	for deadAfter, held := range map[int]bool{2*5 + 5 + 2: true, 5: false} { // the second is the control
		for _, batch := range []string{"1", "10"} {
			t.Run(fmt.Sprintf("max receives %d, batch %s", deadAfter, batch), func(t *testing.T) {
				t.Parallel()
				r, l := newRig(t, deadAfter), newLedger(t)
				l.set(l.hangs, "1", true)
				id := r.sendAll("1", "2")[0]
				for kills := 1; ; kills++ {
					cmd, stderr := r.process(l.outside, 1, time.Minute, "CONSUMER_BATCH="+batch, "CONSUMER_LEASE=1m")
					if kills > 1 {
						r.until("a wait for the live claim, or the end", func(s lab.Snapshot) bool {
							return count(s.Events, lab.VisibilityChanged, id) == kills-1 || s.InFlight+s.Visible == 0
						})
						r.age(time.Hour)
						r.Advance(time.Hour)
					}
					select {
					case <-l.charged:
						_ = cmd.Process.Kill()
						_ = cmd.Wait()
						r.Advance(30 * time.Second)
						continue
					case <-r.ended():
					}
					_ = cmd.Process.Kill()
					_ = cmd.Wait()
					if kills != 7 && held || r.record("1") != map[bool]string{true: "held", false: "claimed"}[held] || l.count("2") != 1 {
						t.Errorf("%d processes, record %s, %d charges of the other\n%s\n%s", kills, r.record("1"), l.count("2"), r.history(), stderr)
					}
					return
				}
			})
		}
	}
}

// ended is closed when the queue is empty.
func (r *rig) ended() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.Wait(r.ctx, queueName, func(s lab.Snapshot) bool { return s.InFlight+s.Visible == 0 })
	}()
	return ended
}
