package amqpwire

import (
	"io"
	"sync"
)

// ahead is how many frames may wait while a step is held.
const ahead = 64

// lane is one direction of a connection. Heartbeats pass what waits in it, but do not
// come in between the bytes of something that is sent.
type lane struct {
	from *frames
	to   io.Writer
	next chan frame // closed at the end
	stop chan struct{}
	err  error // once next is closed

	sending sync.Mutex
}

func newLane(from *frames, to io.Writer) *lane {
	return &lane{from: from, to: to, next: make(chan frame, ahead), stop: make(chan struct{})}
}

// read reads to the end, or until stop is closed.
func (l *lane) read() {
	defer close(l.next)
	for l.err == nil {
		var f frame
		if f, l.err = l.from.next(); l.err != nil {
			return
		}
		if f.kind() == heartbeatFrame {
			l.err = l.send(f)
			continue
		}
		select {
		case l.next <- f:
		case <-l.stop:
			return
		}
	}
}

func (l *lane) send(what sender) error { return l.sendStep(nil, what) }

// sendStep sends the bytes of a step, which due announces to the gate.
func (l *lane) sendStep(due func(), what sender) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	if due != nil {
		due()
	}
	return what.Send(l.to)
}
