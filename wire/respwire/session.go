package respwire

import (
	"errors"
	"io"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// session is one connection. One goroutine carries requests, one carries replies. The
// turn goes from one to the other: requests has it, but for the time between a step's
// first byte and the last one of its reply.
type session struct {
	proxy      *Proxy
	client     *wire.Client
	up         *wire.Upstream
	fromClient *reader
	fromServer *reader
	turn       chan struct{}
	over       chan struct{} // closed when replies has ended

	subscriptions // of replies alone
	mu            sync.Mutex
	flights       []*flight // what is not answered yet, in order
	ended         bool      // replies has ended, and takes nothing any more
	gone          bool      // the client has gone
}

// flight is something said that will be answered.
type flight struct {
	command  Command
	crossing *wire.Crossing // nil of what is no step
	said     Said
}

func (p *Proxy) session(client *wire.Client, up *wire.Upstream) *session {
	return &session{
		proxy: p, client: client, up: up,
		fromClient: newReader(client), fromServer: newReader(up),
		turn: make(chan struct{}, 1), over: make(chan struct{}),
		subscriptions: subscriptions{to: map[string]bool{}},
	}
}

func (s *session) run() {
	go s.replies()
	err := s.requests()
	s.proxy.Blame("worker", protocol, err)
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.up.Close()
	<-s.over
}

var errGone = errors.New("server has gone")

// begin puts something under way, unless there is nobody to end it.
func (s *session) begin(f *flight) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errGone
	}
	s.flights = append(s.flights, f)
	return nil
}

// first is what the next reply belongs to, or nil.
func (s *session) first() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.flights) == 0 {
		return nil
	}
	return s.flights[0]
}

func (s *session) land() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flights = s.flights[1:]
}

// end takes nothing any more, and gives what will not be answered.
func (s *session) end() []*flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	left := s.flights
	s.flights = nil
	return left
}

// passOn sends what is no step, unless more comes at once: then both go together.
func passOn(from *reader, to io.Writer) error {
	if from.Buffered() > 0 {
		return nil
	}
	return from.kept.Send(to)
}

func (s *session) why(err error) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return "client has gone"
	}
	return "server has gone: " + err.Error()
}
