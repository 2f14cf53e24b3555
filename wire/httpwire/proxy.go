package httpwire

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/twiceproof/twiceproof/wire"
)

// Proxy listens on a loopback port of its own.
type Proxy struct {
	server
	gate *wire.Gate
	peer string
	host string // of the upstream
	name func(r *http.Request, body []byte) string
	mark map[string]string
}

// Listen starts a proxy in front of upstream, such as "http://127.0.0.1:4566".
// The name of a step is what name makes of its request; nil is DefaultName. The
// mark is headers that every request gets on its way upstream, so that a peer can
// tell one worker from another.
func Listen(gate *wire.Gate, peer, upstream string, name func(r *http.Request, body []byte) string, mark map[string]string) (*Proxy, error) {
	host, err := hostOf(upstream)
	if err != nil {
		return nil, err
	}
	if name == nil {
		name = DefaultName
	}
	p := &Proxy{gate: gate, peer: peer, host: host, name: name, mark: mark}
	if err := p.start(gate, p.step); err != nil {
		return nil, fmt.Errorf("listen for %s: %w", peer, err)
	}
	return p, nil
}

// Close ends the proxy and shuts its gate, because a worker that has lost one
// peer is no longer the worker under test, and a proxy that outlives its worker
// keeps long polls that take messages.
func (p *Proxy) Close() {
	if p.gate != nil {
		p.gate.Shut()
	}
	p.stop()
}

func hostOf(upstream string) (string, error) {
	u, err := url.Parse(upstream)
	if err != nil {
		return "", fmt.Errorf("upstream: %w", err)
	}
	if u.Scheme != "http" || u.Port() == "" || u.Path != "" && u.Path != "/" {
		return "", fmt.Errorf("upstream %q: want http://host:port and nothing after it", u.Redacted())
	}
	return u.Host, nil
}

// step takes one request through the gate. To end it without a reply it panics
// with http.ErrAbortHandler, which is net/http's way to close a connection
// without a byte.
func (p *Proxy) step(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor > 1 {
		p.gate.Unreadable("connection of the " + p.peer + " ended: the worker speaks HTTP/2 without having asked for it, and it is offered HTTP/1.1")
		panic(http.ErrAbortHandler)
	}
	body, err := readWhole(r.Body)
	if err != nil {
		refuseBody(w, err)
		return
	}
	l := lineOf(r)
	x, err := p.gate.Enter(l.Client, "http", p.peer, p.name(r, body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	answer, err := p.forward(l, x, r, body)
	if err != nil {
		x.Lost(why(r.Context(), err))
		panic(http.ErrAbortHandler)
	}
	if x.Reply(strconv.Itoa(answer.status)) != nil {
		panic(http.ErrAbortHandler)
	}
	answer.pass(w)
}

func why(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "client has gone"
	}
	return err.Error()
}
