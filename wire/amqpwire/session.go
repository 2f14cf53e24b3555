package amqpwire

import (
	"errors"
	"io"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// session is one connection. One goroutine carries requests, one carries replies, and
// each has one that reads frames for it. The turn goes from requests to replies with a
// step that is answered, and back with its answer.
type session struct {
	proxy    *Proxy
	number   int32 // of the worker's connections
	client   *wire.Client
	up       *wire.Upstream
	broker   *ending
	requests *lane
	replies  *lane
	channels channels
	turn     chan struct{}
	over     chan struct{} // closed when replies have ended

	mu     sync.Mutex
	flight *flight // the step under way
	ended  bool    // replies have ended, and no step is taken any more
	gone   bool    // the client has gone
}

// flight is a step that will be answered.
type flight struct {
	crossing *wire.Crossing
	said     Said
	answers  []method
}

// sender is bytes that go on as they came: a frame, or a whole content.
type sender interface{ Send(w io.Writer) error }

func (p *Proxy) session(client *wire.Client, up *wire.Upstream, broker *ending, fromClient, fromServer *frames) *session {
	return &session{
		proxy: p, number: p.connections.Add(1), client: client, up: up, broker: broker,
		requests: newLane(fromClient, up), replies: newLane(fromServer, client),
		channels: channels{all: map[uint16]*channelState{}},
		turn:     make(chan struct{}, 1), over: make(chan struct{}),
	}
}

func (s *session) run() {
	var lanes sync.WaitGroup
	lanes.Go(s.requests.read)
	lanes.Go(s.replies.read)
	go s.answer()
	s.proxy.Blame("worker", protocol, s.ask())
	close(s.requests.stop)
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.up.Close()
	<-s.over
	lanes.Wait()
}

func (s *session) name(said Said) string {
	said.Connection = s.number
	if s.proxy.options.Name != nil {
		if name := s.proxy.options.Name(said); name != "" {
			return wire.Clip(name)
		}
	}
	return DefaultName(said)
}

func (s *session) saw(step wire.Step, said Said) {
	said.Connection = s.number
	if s.proxy.options.Saw != nil {
		s.proxy.options.Saw(step, said)
	}
}

var errGone = errors.New("broker has gone")

// begin puts a step under way, unless there is nobody to end it.
func (s *session) begin(f *flight) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errGone
	}
	s.flight = f
	return nil
}

// land takes the step that is under way, if any.
func (s *session) land() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flight
	s.flight = nil
	return f
}

func (s *session) underWay() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flight
}

func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

func (s *session) why(err error) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return "client has gone"
	}
	return "broker has gone: " + err.Error()
}
