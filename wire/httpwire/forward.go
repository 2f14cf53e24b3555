package httpwire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/twiceproof/twiceproof/wire"
)

// atOnce fits into the buffers of any connection: to write so much waits for nobody.
const atOnce = 8 << 10

// forward sends the request on the line's own connection and reads the reply whole. No
// http.Transport is between: it would send a request again by itself.
//
// The connection also ends when the client goes, but not before the request is out: a
// step that was let through is forwarded whole. Counter-example: a held request is
// released after its client has given up. The network would deliver it.
func (p *Proxy) forward(l *line, x *wire.Crossing, r *http.Request, body []byte) (answer reply, err error) {
	up, err := l.open(context.WithoutCancel(r.Context()), p.gate, p.host)
	if err != nil {
		return reply{}, err
	}
	x.Through(up.Upstream)
	out := p.outgoing(r, body)
	leaves := make(chan func() bool, 1) // what ends the watch for the client's end, once the request is out
	send := func() {
		if errors.Join(out.Write(up.requests), up.requests.Flush()) != nil {
			leaves <- func() bool { return false }
			return
		}
		leaves <- context.AfterFunc(r.Context(), func() { up.Close() })
	}
	if out.Close {
		go send() // a peer may answer before it has read all
	} else {
		send()
	}
	answer, err = readReply(up.replies, out)
	once := err != nil || out.Close || answer.last || up.replies.Buffered() > 0
	if once {
		up.Close()
	}
	if stayed := (<-leaves)(); stayed && !once {
		l.keep(up)
	} else {
		up.Close()
	}
	return answer, err
}

func readReply(from *bufio.Reader, to *http.Request) (reply, error) {
	resp, err := http.ReadResponse(from, to)
	for err == nil && isInterim(resp.StatusCode) {
		resp, err = http.ReadResponse(from, to)
	}
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	whole, err := readWhole(resp.Body)
	if err != nil {
		return reply{}, fmt.Errorf("read reply: %w", err)
	}
	return reply{status: resp.StatusCode, header: resp.Header, body: whole, last: resp.Close}, nil
}

// isInterim: such as 103; the reply itself comes yet.
func isInterim(status int) bool {
	return status < http.StatusOK && status != http.StatusSwitchingProtocols
}

// outgoing is the request as the peer gets it. A large one is its connection's last.
func (p *Proxy) outgoing(r *http.Request, body []byte) *http.Request {
	to := *r.URL
	to.Scheme, to.Host, to.User = "http", p.host, nil
	out := &http.Request{
		Method: r.Method, URL: &to, Host: r.Host, Header: endToEnd(r.Header), Close: len(body) > atOnce,
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
