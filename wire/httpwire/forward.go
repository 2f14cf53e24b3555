package httpwire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/twiceproof/twiceproof/wire"
)

// forward sends the request on a connection of its own and reads the reply
// whole. When it returns, the connection is closed. No http.Transport is between:
// another two goroutines for each request.
//
// The connection also ends when the client goes, but not before the request is out: a
// step that was let through is forwarded whole. Counter-example: a held request is
// released after its client has given up. The network would deliver it.
func (p *Proxy) forward(x *wire.Crossing, r *http.Request, body []byte) (reply, error) {
	conn, err := (&net.Dialer{}).DialContext(context.WithoutCancel(r.Context()), "tcp", p.host)
	if err != nil {
		return reply{}, err
	}
	up := p.gate.Upstream(conn)
	x.Through(up)
	out, sent := p.outgoing(r, body), make(chan struct{})
	go func() { // a peer may answer before it has read all
		defer close(sent)
		if out.Write(up) == nil {
			context.AfterFunc(r.Context(), func() { up.Close() })
		}
	}()
	defer func() {
		up.Close()
		<-sent
	}()
	return readReply(up, out)
}

func readReply(from io.Reader, to *http.Request) (reply, error) {
	buffered := bufio.NewReader(from)
	resp, err := http.ReadResponse(buffered, to)
	for err == nil && isInterim(resp.StatusCode) {
		resp, err = http.ReadResponse(buffered, to)
	}
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

// isInterim: such as 103; the reply itself comes yet.
func isInterim(status int) bool {
	return status < http.StatusOK && status != http.StatusSwitchingProtocols
}

// outgoing closes its connection: one request, one connection.
func (p *Proxy) outgoing(r *http.Request, body []byte) *http.Request {
	to := *r.URL
	to.Scheme, to.Host, to.User = "http", p.host, nil
	out := &http.Request{
		Method: r.Method, URL: &to, Host: r.Host, Header: endToEnd(r.Header), Close: true,
		Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
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
