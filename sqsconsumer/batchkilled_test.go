package sqsconsumer

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

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
