package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

const fifoName = "q.fifo"

// fifoRig is a rig whose queue is FIFO. Its consumer notes in which order it acts.
type fifoRig struct {
	*rig
	mu    sync.Mutex
	order []string
	fails map[string]bool
}

func newFIFO(t *testing.T, r *rig, deadAfter int) *fifoRig {
	attributes := map[string]string{"FifoQueue": "true"}
	if deadAfter > 0 {
		r.createQueue("dead.fifo", map[string]string{"FifoQueue": "true"})
		attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead.fifo","maxReceiveCount":%d}`, deadAfter)
	}
	t.Helper()
	r.url = r.createQueue(fifoName, attributes)
	return &fifoRig{rig: r, fails: map[string]bool{}}
}

func (f *fifoRig) consumer(batch int) Consumer {
	c := f.rig.consumer(holdJob())
	c.Batch = batch
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.order = append(f.order, op.Key)
		if f.fails[op.Key] {
			return twiceproof.NotApplied(errors.New("connection refused"))
		}
		return f.till.charge(ctx, op)
	}
	return c
}

// put sends "group:key" messages.
func (f *fifoRig) put(messages ...string) (ids []string) {
	f.t.Helper()
	for _, m := range messages {
		group, key, _ := strings.Cut(m, ":")
		id, err := f.Send(fifoName, lab.Message{Body: body(key, "12"), GroupID: group, DeduplicationID: fmt.Sprint(m, len(f.Log(fifoName)))})
		if err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func (f *fifoRig) until(what string, ok func(lab.Snapshot) bool) {
	f.t.Helper()
	if err := f.Wait(f.ctx, fifoName, ok); err != nil {
		f.t.Fatalf("waiting for %s: %v\n%s\n%s", what, err, f.history(), f.log)
	}
}

func (f *fifoRig) untilDeleted(n int) {
	f.t.Helper()
	f.until(fmt.Sprint(n, " deleted"), func(s lab.Snapshot) bool { return count(s.Events, lab.Deleted, "") >= n })
}

// untilIdle: all polls wait; what is visible waits behind its group.
func (f *fifoRig) untilIdle() {
	f.t.Helper()
	f.until("an idle worker", func(s lab.Snapshot) bool { return s.Polling == 1 })
}

func (f *fifoRig) history() (text string) {
	for _, e := range f.Log(fifoName) {
		text += fmt.Sprintf("%s %.4s receive %d visibility %s\n", e.Kind, e.MessageID, e.ReceiveCount, e.Visibility)
	}
	return text
}

func (f *fifoRig) received(id string) int { return count(f.Log(fifoName), lab.Received, id) }

func (f *fifoRig) acted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.order, " ")
}

// In a batch a group stops at the message that must come again; the later ones go
// back unacted and wait behind it, while other groups go on.
func TestFIFOBatchKeepsTheOrder(t *testing.T) {
	onEach(t, 0, func(t *testing.T, r *rig) {
		f := newFIFO(t, r, 0)
		f.fails["a2"] = true
		ids := f.put("a:a1", "a:a2", "a:a3", "a:a4", "b:b1", "b:b2")
		f.start(f.consumer(10))
		f.untilDeleted(3)
		f.untilIdle()
		if got := f.acted(); got != "a1 a2 b1 b2" {
			t.Errorf("acted %s", got)
		}
		f.wantRecord("a3", "claimed given_up") // released
		f.put("b:b3")
		f.untilDeleted(4)
		f.untilIdle()
		f.mu.Lock()
		f.fails["a2"] = false
		f.mu.Unlock()
		f.Advance(30 * time.Second)
		f.untilDeleted(7)
		if got := f.acted(); got != "a1 a2 b1 b2 b3 a2 a3 a4" {
			t.Errorf("acted %s", got)
		}
		for i, want := range []int{1, 2, 2, 2, 1, 1} {
			if got := f.received(ids[i]); got != want {
				t.Errorf("message %d received %d times, want %d\n%s", i, got, want, f.history())
			}
		}
		for _, key := range strings.Fields("a1 a2 a3 a4 b1 b2 b3") {
			f.wantCharges(key, 1)
		}
	})
}

// The first of a group meets a live claim: the group waits out the lease, in one
// receive each, and no other group does.
func TestFIFOGroupWaitsForALiveClaim(t *testing.T) {
	for _, batch := range []int{1, 10} {
		t.Run(fmt.Sprint("batch ", batch), func(t *testing.T) {
			inBubble(t, 0, func(t *testing.T, r *rig) {
				f := newFIFO(t, r, 0)
				f.vanish("a1", holdJob())
				ids := f.put("a:a1", "a:a2", "b:b1")
				f.start(f.consumer(batch))
				f.untilDeleted(1)
				f.untilIdle()
				for i := range 3 { // nothing comes before its time
					f.Advance(15 * time.Second)
					f.put(fmt.Sprint("b:later", i))
					f.untilDeleted(2 + i)
					f.untilIdle()
				}
				if got := f.acted(); got != "b1 later0 later1 later2" {
					t.Errorf("acted %s", got)
				}
				waited := map[int]int{1: 0, 10: 1}[batch]
				if a, b := f.received(ids[0]), f.received(ids[1]); a != 1 || b != waited {
					t.Errorf("received %d and %d times\n%s", a, b, f.history())
				}
				f.age(lease)
				f.Advance(beyondLease)
				f.untilDeleted(6)
				f.wantRecord("a1", "held")
				f.wantCharges("a1", 0)
				f.wantCharges("a2", 1)
				if b := f.received(ids[1]); b != 1+waited {
					t.Errorf("received %d times\n%s", b, f.history())
				}
			})
		})
	}
}

// A message that always fails becomes a dead letter, and takes none of its group
// with it: while it comes again the consumer receives one at a time. The control
// forgets that each time, as a new process does.
func TestFIFOBatchDoesNotDragOthersToTheDeadLetters(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		t.Run(fmt.Sprint("forgets ", forgets), func(t *testing.T) {
			inBubble(t, 0, func(t *testing.T, r *rig) {
				f := newFIFO(t, r, 3)
				f.fails["a1"] = true
				f.put("a:a1", "a:a2", "a:a3")
				stop := f.start(f.consumer(10))
				for n := range 3 {
					f.until("a receive", func(s lab.Snapshot) bool {
						return count(s.Events, lab.Received, s.Events[0].MessageID) == n+1 && s.Polling == 1
					})
					if forgets {
						stop()
						f.until("the end of the polls", func(s lab.Snapshot) bool { return s.Polling == 0 })
						stop = f.start(f.consumer(10))
						f.untilIdle()
					}
					f.Advance(30 * time.Second)
				}
				f.until("an empty queue", func(s lab.Snapshot) bool { return s.Visible+s.InFlight == 0 && s.Polling == 1 })
				dead, charged := f.Counts(fifoName).Dead, f.till.count("a2")+f.till.count("a3")
				if want := map[bool]int{false: 1, true: 3}[forgets]; dead != want || charged != 3-want {
					t.Errorf("%d dead letters, %d charges\n%s", dead, charged, f.history())
				}
			})
		})
	}
}

// A delete by a receipt whose visibility is over is refused on a FIFO queue. The
// redelivery finds the record and is deleted.
func TestFIFODeleteByAnExpiredReceipt(t *testing.T) {
	for _, batch := range []int{1, 10} {
		t.Run(fmt.Sprint("batch ", batch), func(t *testing.T) {
			onEach(t, 0, func(t *testing.T, r *rig) {
				f := newFIFO(t, r, 0)
				c := f.consumer(batch)
				act, entered, open := f.till.gated()
				defer open()
				c.Act = act
				keys := []string{"1", "2"}[:min(batch, 2)]
				for _, key := range keys {
					f.put("g:" + key)
				}
				f.start(c)
				take(f.rig, entered)
				f.Advance(30 * time.Second) // as if the heartbeat had not come through
				open()
				f.untilDeleted(len(keys))
				f.untilIdle()
				if n := count(f.Log(fifoName), lab.DeleteRefused, ""); n != len(keys) {
					t.Errorf("%d deletes refused\n%s", n, f.history())
				}
				for _, key := range keys {
					f.wantCharges(key, 1)
					f.wantRecord(key, "completed")
				}
			})
		})
	}
}

// The deduplication id is the queue's own business: within its five minutes a
// re-send is swallowed, after them it is delivered again, and either way the record
// decides. Another id for the same operation is a repeat too.
func TestFIFODeduplicationIsNotTheKey(t *testing.T) {
	r := newRig(t, 0)
	f := newFIFO(t, r, 0)
	f.start(f.consumer(10))
	resend := func(id string) {
		t.Helper()
		if _, err := f.Send(fifoName, lab.Message{Body: body("1", "12"), GroupID: "g", DeduplicationID: id}); err != nil {
			t.Fatal(err)
		}
	}
	resend("same")
	f.untilDeleted(1)
	f.Advance(time.Minute)
	resend("same")
	if n := count(f.Log(fifoName), lab.SentDuplicate, ""); n != 1 {
		t.Errorf("%d swallowed", n)
	}
	f.Advance(5 * time.Minute)
	resend("same")
	f.untilDeleted(2)
	resend("other")
	f.untilDeleted(3)
	f.wantCharges("1", 1)
	if got := f.acted(); got != "1" {
		t.Errorf("acted %s", got)
	}
}

// On a standard queue a group is for fairness and has no order.
func TestGroupOnAStandardQueue(t *testing.T) {
	r := newRig(t, 0)
	c := r.batchConsumer()
	var mu sync.Mutex
	var order []string
	c.Act = func(ctx context.Context, op *twiceproof.Operation) error {
		mu.Lock()
		defer mu.Unlock()
		if order = append(order, op.Key); op.Key == "1" {
			return twiceproof.NotApplied(errors.New("connection refused"))
		}
		return r.till.charge(ctx, op)
	}
	var ids []string
	for _, key := range ten[:3] {
		id, err := r.Send(queueName, lab.Message{Body: body(key, "12"), GroupID: "g"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	r.start(c)
	r.untilKinds(lab.Deleted, 2)
	r.wantKinds(ids[1], "sent received deleted")
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(order, ten[:3]) {
		t.Errorf("acted %v", order)
	}
}
