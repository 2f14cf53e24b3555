package mysqlwire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/wire"
)

// session is one connection. One goroutine carries requests, one carries replies. The
// turn goes from one to the other: requests has it while it puts a step together,
// replies from the step's first byte to the last one of its reply, and while the
// worker logs in.
type session struct {
	proxy      *Proxy
	client     *wire.Client
	up         *wire.Upstream
	fromClient *packets
	fromServer *packets
	noEOF      bool // the end of rows is an OK, and no EOF comes after columns
	within     bool // a transaction, when the step under way began
	compresses bool // or so the worker has said, though it was not offered
	turn       chan outcome
	over       chan struct{} // closed when replies has ended
	feeds      atomic.Bool   // the worker sends a file that the server has asked for

	mu     sync.Mutex
	flight *flight // the step under way
	logsIn bool
	asked  byte // packets by which the worker has asked for TLS: the server has not counted them
	ended  bool // replies has ended, and takes no step any more
	gone   bool // the client has gone
}

// outcome is what requests has to know of a reply.
type outcome struct {
	statement uint32 // the number of a prepared one
	failed    bool
}

func (p *Proxy) session(client *wire.Client, up *wire.Upstream) *session {
	return &session{
		proxy: p, client: client, up: up,
		fromClient: &packets{Reader: bufio.NewReader(client)},
		fromServer: &packets{Reader: bufio.NewReaderSize(up, 16<<10)},
		turn:       make(chan outcome, 1), over: make(chan struct{}),
		logsIn: true,
	}
}

// greet passes the server's first packet and the worker's answer. A server that takes
// no more connections says so at once. The connection's id is made known.
func (s *session) greet(known *atomic.Uint32) error {
	p, err := s.fromServer.next()
	if err != nil {
		return err
	}
	if p.kind() == isError {
		_, _ = s.client.Write(p.raw) // the connection ends either way
		return errGone
	}
	id, err := declineGreeting(p, s.proxy.Offers())
	if err != nil {
		s.proxy.Blame("server", protocol, err)
		return errGone
	}
	known.Store(id)
	s.proxy.met(id)
	if _, err := s.client.Write(p.raw); err != nil {
		return err
	}
	if p, err = s.response(); err != nil {
		return err
	}
	capabilities, claimed, err := declineResponse(p)
	if err != nil {
		return err
	}
	s.noEOF, s.compresses = capabilities&canDeprecateEOF != 0, claimed&canCompress != 0
	_, err = s.up.Write(p.raw)
	return err
}

// response is the worker's answer to the greeting, within TLS where it asks for that.
func (s *session) response() (packet, error) {
	p, err := s.fromClient.next()
	if err != nil {
		if errors.Is(err, io.EOF) && !s.proxy.Offers() {
			s.proxy.Unsecured(fmt.Errorf("%w: %w", wire.ErrDeclined, err)) // a client that insists on TLS reads the greeting, and goes
		}
		return p, err
	}
	if !asksTLS(p) {
		s.proxy.Unsecured(nil)
		return p, nil
	}
	ahead, _ := s.fromClient.Peek(s.fromClient.Buffered()) // its handshake: it waits for no answer
	s.client.Unread(ahead)
	if err := s.proxy.Secure(s.client); err != nil {
		return p, err
	}
	s.fromClient = &packets{Reader: bufio.NewReader(s.client)}
	if p, err = s.fromClient.next(); err == nil {
		s.asked = 1
		p.raw[3] -= s.asked
	}
	return p, err
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

var errGone = errors.New("server has gone")

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

// login lets all that the server says pass, up to its verdict.
func (s *session) login() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logsIn = true
}

// loggedIn ends a login, and says whether there was one. After an error the first one
// ends the connection; a later one may leave it as it was.
func (s *session) loggedIn() (was bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, s.logsIn = s.logsIn, false
	s.asked = 0
	return was
}

// shift is by how much the worker's numbers of packets are ahead, while it logs in.
func (s *session) shift() byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// land takes the step that is under way, if any.
func (s *session) land() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flight
	s.flight = nil
	return f
}

// underWay is the step to which a packet of the server belongs, or nil.
func (s *session) underWay() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flight
}
