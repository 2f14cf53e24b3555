package celery

import (
	"context"
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/queue"
)

// copies keeps which copies of which messages there are, and in whose hand. All of it may
// be used by several goroutines, and under a gate's lock: it asks no gate.
type copies struct {
	*queue.Log
	all     []*taken
	known   map[string]message // the last one of each task id
	early   map[string]*taken  // by earlyKey, those that were received before they were seen to be put on
	made    map[string]int     // copies of each so far
	workers map[string]*asking
	failed  int // tasks
	// requeues: the broker gives back at once what a worker has not acknowledged when its
	// connection ends.
	requeues bool
	// delivers: the broker itself delivers again what is overdue, as soon as its clock is moved.
	delivers bool
	// silent: its workers tell no events and answer no commands. So the acknowledgement is
	// taken for the end, unless somebody works after it.
	silent bool
	ended  map[string]*taken // by worker: the last quiet one
	// again is after how long the broker delivers again what was not acknowledged. It is a
	// setting of the workers, and seen in what they ask; 0: never, or not known yet.
	again time.Duration
}

// asking is how a worker asks for messages.
type asking struct {
	polls    int             // open ones
	consumes bool            // it has no polls: the broker sends
	tells    bool            // its task events
	late     map[string]bool // by task: it is acknowledged when it has run
}

// taken is one copy, at the broker or in a worker.
type taken struct {
	message
	n      int    // of the copies of one id, from 1; 0: it is in no log
	place  string // where the broker keeps it
	state  state
	worker string

	// kept: the broker has it until it is acknowledged.
	kept bool
	// again is when the broker delivers it again by itself; zero: not while its worker lives.
	again time.Time
	due   time.Time // waiting: until then, by the queue's clock

	told, worked, over, acked bool // in this delivery: an event came, something was said elsewhere, the event of its end came, it was acknowledged
	forced                    bool // put on again while in hand
	quiet                     bool // acknowledged a moment ago, though nothing shows that it had run
	way                       way  // of what the broker does not keep
}

// way is how far a copy has come that was taken off its queue.
type way int

const (
	begun way = iota
	onItsWay
	handed // over to its worker, which notes that before it begins
)

type state int

const (
	visible state = iota
	inHand        // fetched, or at work
	waiting       // fetched, and kept by its worker until its time
	orphan        // its worker is dead, the broker has it
	lost          // its worker is dead, and nobody has it
	// replaced is in hand still, but another copy stands in its place: its worker has put
	// one on, or the broker has delivered it again, or the replay did when its time had
	// come. The worker is busy until it lets go.
	replaced
	// forgotten is such a one that waits for its time in its worker's memory.
	forgotten
)

func newCopies() *copies {
	return &copies{Log: queue.NewLog(), known: map[string]message{}, early: map[string]*taken{}, made: map[string]int{}, workers: map[string]*asking{}, ended: map[string]*taken{}}
}

// Under the lock, like all here that begins with a small letter.

func (c *copies) note(kind queue.Kind, t *taken, worker string, hidden time.Duration) {
	c.known[t.id()] = t.message
	c.Note(queue.Event{Kind: kind, Message: t.id(), Copy: t.n, Worker: worker, For: hidden})
}

// add makes one more copy, of which nothing is said yet.
func (c *copies) add(m message, place string) *taken {
	t := &taken{message: m, place: place}
	c.number(t)
	c.all = append(c.all, t)
	return t
}

func (c *copies) number(t *taken) {
	c.made[t.id()]++
	t.n = c.made[t.id()]
}

func (c *copies) remove(t *taken) {
	c.all = slices.DeleteFunc(c.all, func(other *taken) bool { return other == t })
	c.Tell()
}

// first is the oldest copy that matches, or nil.
func (c *copies) first(match func(*taken) bool) *taken {
	if i := slices.IndexFunc(c.all, match); i >= 0 {
		return c.all[i]
	}
	return nil
}

func (c *copies) those(match func(*taken) bool) []*taken {
	return slices.DeleteFunc(slices.Clone(c.all), func(t *taken) bool { return !match(t) })
}

// at is the copy of this tag that the broker would give out.
func (c *copies) at(tag string) *taken {
	return c.first(func(t *taken) bool { return t.tag() == tag && t.state != replaced && t.state != forgotten })
}

// with is the copy of this tag in that worker.
func (c *copies) with(worker, tag string) *taken {
	return c.first(func(t *taken) bool { return t.tag() == tag && t.worker == worker && t.isInside() })
}

// isInside: a worker that lives has it.
func (t *taken) isInside() bool {
	return t.state == inHand || t.state == waiting || t.state == replaced || t.state == forgotten
}

func (c *copies) worker(name string) *asking {
	if c.workers[name] == nil {
		c.workers[name] = &asking{}
	}
	return c.workers[name]
}

// Look is the state now.
func (c *copies) Look() queue.Snapshot {
	c.Lock()
	defer c.Unlock()
	return c.look()
}

// Wait waits for a state.
func (c *copies) Wait(ctx context.Context, ok func(queue.Snapshot) bool) error {
	return c.Await(ctx, c.look, ok)
}

func (c *copies) look() queue.Snapshot {
	s := queue.Snapshot{Dead: c.failed, Asking: map[string]bool{}, Idle: map[string]bool{}, Events: c.Events()}
	now, busy := c.Time(), map[string]bool{}
	for _, t := range c.all {
		switch t.state {
		case visible:
			s.Visible++
		case inHand, orphan:
			s.InFlight++
			busy[t.worker] = true
			if !t.again.IsZero() {
				s.DueIn(t.again.Sub(now))
			}
		case waiting:
			s.Delayed++
			s.DueIn(t.due.Sub(now))
		case lost: // until it is put on again by force
			s.DueIn(0)
		case replaced:
			busy[t.worker] = true
		}
	}
	for name, w := range c.workers {
		s.Asking[name] = w.polls > 0 || w.consumes
		s.Idle[name] = s.Asking[name] && !busy[name]
	}
	return s
}
