package httpwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/wire"
)

// forward sends the request on a connection of its own and reads the reply
// whole. When it returns, the connection is closed.
func (p *Proxy) forward(x *wire.Crossing, r *http.Request, body []byte) (reply, error) {
	conn, err := (&net.Dialer{}).DialContext(context.WithoutCancel(r.Context()), "tcp", p.host)
	if err != nil {
		return reply{}, err
	}
	up := p.gate.Upstream(conn)
	defer up.Close()
	x.Through(up)
	ctx, cancel := untilClientGoes(r.Context())
	defer cancel()
	resp, err := oneUse(up).RoundTrip(p.outgoing(ctx, r, body))
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	whole, err := readWhole(resp.Body)
	if err != nil {
		return reply{}, fmt.Errorf("read reply: %w", err)
	}
	return reply{status: resp.StatusCode, header: resp.Header, body: whole}, nil
}

// untilClientGoes is a context that ends when the client goes, but not before
// the request is out: a step that was let through is forwarded whole.
// Counter-example: a held request is released after its client has given up. The
// network would deliver it; a context that is over already would not.
func untilClientGoes(client context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(client))
	out := func(httptrace.WroteRequestInfo) { context.AfterFunc(client, cancel) }
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: out}), cancel
}

// oneUse is a transport that has this connection and can get no other one.
func oneUse(conn net.Conn) *http.Transport {
	var used atomic.Bool
	return &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			if used.Swap(true) {
				return nil, errors.New("one request, one connection")
			}
			return conn, nil
		},
		Proxy:              nil, // and not the environment's
		DisableKeepAlives:  true,
		DisableCompression: true,
	}
}

func (p *Proxy) outgoing(ctx context.Context, r *http.Request, body []byte) *http.Request {
	to := *r.URL
	to.Scheme, to.Host, to.User = "http", p.host, nil
	out := (&http.Request{
		Method: r.Method, URL: &to, Host: r.Host, Header: endToEnd(r.Header),
		Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	if len(body) > 0 {
		out.Body, out.ContentLength = readCloser(bytes.NewReader(body)), int64(len(body))
	}
	for name, value := range p.mark {
		out.Header.Set(name, value)
	}
	if _, named := out.Header["User-Agent"]; !named {
		out.Header["User-Agent"] = []string{""} // or net/http adds its own
	}
	return out
}
