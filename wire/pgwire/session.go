package pgwire

import (
	"bufio"
	"errors"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// session is one connection that has sent its StartupMessage. One goroutine
// carries requests, one carries replies. The turn goes from one to the other:
// requests has it while it puts a step together, replies from the step's first
// byte to the last one of its reply.
type session struct {
	proxy      *Proxy
	client     *wire.Client
	up         *wire.Upstream
	fromClient *frames
	fromServer *frames
	turn       chan outcome
	over       chan struct{} // closed when replies has ended

	mu      sync.Mutex
	flight  *flight // the step under way
	ended   bool    // replies has ended, and takes no step any more
	gone    bool    // the client has gone
	aborted bool    // the server has ended a COPY by itself
}

// outcome is what requests has to know of a reply.
type outcome struct {
	end    byte // the message that ended it
	failed bool // an error, and no ReadyForQuery since
	parsed int  // how many Parse have been done
}

func (p *Proxy) session(client *wire.Client, up *wire.Upstream, requests *bufio.Reader) *session {
	return &session{
		proxy: p, client: client, up: up,
		fromClient: &frames{Reader: requests},
		fromServer: &frames{Reader: bufio.NewReaderSize(up, 16<<10)},
		turn:       make(chan outcome, 1), over: make(chan struct{}),
	}
}

func (s *session) run() {
	go s.replies()
	s.proxy.Blame("worker", protocol, s.requests())
	s.mu.Lock()
	s.gone = true
	s.mu.Unlock()
	s.up.Close()
	<-s.over
}

var (
	errGone    = errors.New("server has gone")
	errAborted = errors.New("server has ended the COPY by itself")
)

// begin puts a step under way, unless there is nobody to end it, or it feeds a
// COPY that was ended meanwhile: no reply will come.
func (s *session) begin(f *flight, feeds bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return errGone
	case feeds && s.aborted:
		return errAborted
	}
	f.owed = f.owed && !s.aborted
	s.aborted = false
	s.flight = f
	return nil
}

func (s *session) isAborted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aborted
}

// land takes the step that is under way, if any.
func (s *session) land() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flight
	s.flight = nil
	return f
}

// underWay is the step to which a message of the server belongs, or nil.
func (s *session) underWay(kind byte) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flight == nil && kind == errorResponse {
		s.aborted = true
	}
	return s.flight
}
