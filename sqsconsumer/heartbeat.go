package sqsconsumer

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twiceproof/twiceproof"
)

// heartbeat keeps the messages of one receive invisible until its delivery is ended.
type heartbeat struct {
	Consumer
	done  chan struct{}
	ended sync.WaitGroup

	calling gate    // held while a renewal is on its way; taken before mu
	mu      gate    // never held for long: an act waits for it
	kept    []*kept // nil where one was dropped
}

// gate is a mutex on which the clock of a test can see a goroutine wait.
type gate chan struct{}

func (g gate) Lock()   { g <- struct{}{} }
func (g gate) Unlock() { <-g }

// kept is one message. It is never kept beyond the lease: a worker that hangs must
// not keep its message for ever, and after it another worker may hold the claim, by
// a newer receipt that the service has been seen to let an older one disturb.
type kept struct {
	received
	key       string
	leaseEnd  time.Time             // as long as there is no operation
	op        *twiceproof.Operation // from the act's start; its deadline moves when the act renews
	invisible time.Time             // until then, by what was asked for so far
}

func (k *kept) end() time.Time {
	end := k.leaseEnd
	if k.op != nil {
		end = k.op.Deadline()
	}
	if most := k.asked.Add(maxVisibility - time.Second); most.Before(end) {
		return most
	}
	return end
}

// keepInvisible starts the heartbeat.
func (c Consumer) keepInvisible(ctx context.Context, all ...received) *heartbeat {
	h := &heartbeat{Consumer: c, done: make(chan struct{}), calling: make(gate, 1), mu: make(gate, 1)}
	for _, r := range all {
		h.kept = append(h.kept, &kept{received: r, leaseEnd: r.got.Add(c.Guard.Job().Lease), invisible: r.got.Add(c.Visibility)})
	}
	h.ended.Go(func() { h.beat(ctx) })
	return h
}

// stop waits for a renewal that is on its way: one that was only cut off could
// still arrive after the put back, and undo it.
func (h *heartbeat) stop() {
	close(h.done)
	h.ended.Wait()
}

// drop is stop for one message.
func (h *heartbeat) drop(i int) {
	h.calling.Lock()
	defer h.calling.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept[i] = nil
}

// name tells which operation a message is about. Of two, the first acts. A process
// that was paused may have lost the message by now.
func (h *heartbeat) name(i int, key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.ContainsFunc(h.kept, func(k *kept) bool { return k != nil && k.key == key }) {
		if k := h.kept[i]; k != nil {
			k.key = key
		}
	}
}

// follow lets a message's end move with its operation's deadline. A heartbeat of
// one message follows the only operation there is.
func (h *heartbeat) follow(op *twiceproof.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.kept {
		if k != nil && (k.key == op.Key || len(h.kept) == 1) {
			k.op = op
		}
	}
}

// enter is called just before the act; what took time on the way to it may have
// used up the lease.
func (h *heartbeat) enter(ctx context.Context, op *twiceproof.Operation) error {
	h.follow(op)
	return op.Check(ctx)
}

func (h *heartbeat) beat(ctx context.Context) {
	for {
		next := time.NewTimer(h.rest())
		select {
		case <-h.done:
			next.Stop()
			return
		case <-next.C:
		}
		h.renew(ctx)
	}
}

// rest is shorter when a message's last renewal was cut short by its lease, which
// may have been renewed since.
func (h *heartbeat) rest() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	rest := h.Visibility / 3
	for _, k := range h.kept {
		if k == nil || !time.Now().Before(k.end()) {
			continue
		}
		if left := time.Until(k.invisible); left > 0 {
			rest = min(rest, left/2)
		}
	}
	return max(rest, 100*time.Millisecond)
}
