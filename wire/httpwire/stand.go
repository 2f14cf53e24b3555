package httpwire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/twiceproof/twiceproof/wire"
)

// Stand is what a worker's HTTP_PROXY and HTTPS_PROXY lead to where a peer stands for outside
// hosts. A call to one of them is a step like any other, also within TLS, which ends here.
// Every other one is refused, as by Refuse.
type Stand struct {
	server
	wire.Trials
	to      *Proxy
	hosts   map[string]bool
	secure  func(host string) *tls.Config
	refused func(method, target string)
}

// StandFor starts it. The configuration of a host is that of a server which speaks HTTP/1.1.
func (p *Proxy) StandFor(hosts []string, secure func(host string) *tls.Config, refused func(method, target string)) (*Stand, error) {
	s := &Stand{to: p, hosts: map[string]bool{}, secure: secure, refused: refused}
	for _, host := range hosts {
		s.hosts[strings.ToLower(host)] = true
	}
	if err := s.start(p.gate, s.serve); err != nil {
		return nil, fmt.Errorf("listen for calls of %s: %w", p.peer, err)
	}
	return s, nil
}

// Close ends it, and shuts its gate as Proxy.Close does.
func (s *Stand) Close() {
	s.to.gate.Shut()
	s.stop()
}

func (s *Stand) serve(w http.ResponseWriter, r *http.Request) {
	host := hostName(r)
	switch {
	case !s.hosts[host]:
		refuse(w, r, s.refused)
	case r.Method == http.MethodConnect:
		s.tunnel(w, host)
	default:
		s.to.step(w, r)
	}
}

// hostName is without port, and without the dot of the root.
func hostName(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// tunnel serves what comes within, until the worker ends the connection or the gate is shut.
func (s *Stand) tunnel(w http.ResponseWriter, host string) {
	s.conns.Add(1) // before the server lets go of the connection, and with it of its own count
	defer s.conns.Done()
	conn, sent, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	client := conn.(*line)
	defer client.Close()
	if sent.Reader.Buffered() > 0 {
		return // sent before it was asked for
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	if err := s.secured(client, host); err != nil {
		return
	}
	one := &single{line: client, over: make(chan struct{})}
	server := &http.Server{ //nolint:gosec // no time-outs: a held step may wait for long, and only loopback calls
		Handler: loud(s.to.step), ConnContext: withLine, ConnState: one.state, ErrorLog: log.New(io.Discard, "", 0),
	}
	_ = server.Serve(one) // net.ErrClosed, when the connection has ended
}

// secured ends the worker's TLS. Some clients, such as undici's, ask for a tunnel to http://,
// too, and speak clear text in it.
func (s *Stand) secured(client *line, host string) error {
	asks, err := client.AsksTLS()
	switch {
	case asks:
		err = client.Secure(s.secure(host))
	case err != nil && !errors.Is(err, wire.ErrShut):
		err = &wire.TLSError{Err: err}
	}
	s.Unsecured(err)
	return err
}

// single is a listener that has one connection to give.
type single struct {
	*line
	given bool
	once  sync.Once
	over  chan struct{}
}

func (s *single) Accept() (net.Conn, error) {
	if !s.given {
		s.given = true
		return s.line, nil
	}
	<-s.over
	return nil, net.ErrClosed
}

func (s *single) Addr() net.Addr { return s.LocalAddr() }

func (s *single) Close() error { return nil } // its connection has ended by then

func (s *single) state(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		s.once.Do(func() { close(s.over) })
	}
}
