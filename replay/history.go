package replay

import (
	"sync"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// history collects the events of one case.
type history struct {
	mu     sync.Mutex
	start  time.Time
	run    int
	events []judge.Event
}

func newHistory() *history { return &history{start: time.Now()} }

func (h *history) add(e judge.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.MS == 0 { // else it is older than its line
		e.MS = time.Since(h.start).Milliseconds()
	}
	if e.Run == 0 {
		e.Run = h.run
	}
	h.events = append(h.events, e)
}

func (h *history) nextRun() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.run++
}

func (h *history) all() []judge.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]judge.Event(nil), h.events...)
}
