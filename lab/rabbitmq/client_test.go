package rabbitmq

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"testing"
)

// Frames and methods of AMQP 0-9-1, as far as the tests need them.
const (
	frameMethod, frameHeader, frameBody = 1, 2, 3

	connectionStart   = 10<<16 | 10
	connectionStartOK = 10<<16 | 11
	connectionTune    = 10<<16 | 30
	connectionTuneOK  = 10<<16 | 31
	connectionOpen    = 10<<16 | 40
	connectionOpenOK  = 10<<16 | 41
	channelOpen       = 20<<16 | 10
	channelOpenOK     = 20<<16 | 11
	queueDeclare      = 50<<16 | 10
	queueDeclareOK    = 50<<16 | 11
	basicPublish      = 60<<16 | 40
	basicAck          = 60<<16 | 80
	confirmSelect     = 85<<16 | 10
	confirmSelectOK   = 85<<16 | 11
)

// client is one connection with one channel.
type client struct {
	t    *testing.T
	conn net.Conn
	*bufio.Reader
	heartbeat uint16 // as the broker proposes it
}

// connect logs in as the broker's URL says.
func connect(t *testing.T, s *Server) *client {
	t.Helper()
	u, err := url.Parse(s.URL())
	if err != nil || u.Scheme != "amqp" {
		t.Fatalf("URL %s: %v", s.URL(), err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := &client{t: t, conn: conn, Reader: bufio.NewReader(conn)}
	if _, err := io.WriteString(conn, protocolHeader); err != nil {
		t.Fatal(err)
	}
	c.want(connectionStart)
	password, _ := u.User.Password()
	c.send(0, connectionStartOK, uint32(0), "PLAIN", []byte("\x00"+u.User.Username()+"\x00"+password), "en_US")
	tune := c.want(connectionTune)
	c.heartbeat = binary.BigEndian.Uint16(tune[6:])
	c.send(0, connectionTuneOK, uint16(2), uint32(4096), uint16(0)) // no heartbeat
	c.send(0, connectionOpen, u.Path, "", byte(0))
	c.want(connectionOpenOK)
	c.send(1, channelOpen, "")
	c.want(channelOpenOK)
	return c
}

// declare makes a durable queue, and says how many messages are in it.
func (c *client) declare(queue string) (messages uint32) {
	c.t.Helper()
	const durable = 2
	c.send(1, queueDeclare, uint16(0), queue, byte(durable), uint32(0))
	ok := c.want(queueDeclareOK)
	return binary.BigEndian.Uint32(ok[1+len(queue):])
}

// publish sends a persistent message, and returns once it is confirmed.
func (c *client) publish(queue, body string) {
	c.t.Helper()
	const hasDeliveryMode, persistent = 1 << 12, 2
	c.send(1, confirmSelect, byte(0))
	c.want(confirmSelectOK)
	c.send(1, basicPublish, uint16(0), "", queue, byte(0))
	c.frame(frameHeader, 1, encode(uint16(60), uint16(0), uint64(len(body)), uint16(hasDeliveryMode), byte(persistent)))
	c.frame(frameBody, 1, []byte(body))
	c.want(basicAck)
}

func (c *client) send(channel uint16, method uint32, arguments ...any) {
	c.t.Helper()
	c.frame(frameMethod, channel, append(encode(method), encode(arguments...)...))
}

func (c *client) frame(kind byte, channel uint16, payload []byte) {
	c.t.Helper()
	whole := append(encode(kind, channel, payload), 0xce)
	if _, err := c.conn.Write(whole); err != nil {
		c.t.Fatal(err)
	}
}

// encode: a string is short, bytes are a long one.
func encode(all ...any) (b []byte) {
	for _, v := range all {
		switch v := v.(type) {
		case byte:
			b = append(b, v)
		case uint16:
			b = binary.BigEndian.AppendUint16(b, v)
		case uint32:
			b = binary.BigEndian.AppendUint32(b, v)
		case uint64:
			b = binary.BigEndian.AppendUint64(b, v)
		case string:
			b = append(append(b, byte(len(v))), v...)
		case []byte:
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
		}
	}
	return b
}

// want reads one method, and gives its arguments.
func (c *client) want(method uint32) []byte {
	c.t.Helper()
	got, arguments, err := c.next()
	if err != nil {
		c.t.Fatal(err)
	}
	if got != method {
		c.t.Fatalf("method %d.%d %q, want %d.%d", got>>16, got&0xffff, arguments, method>>16, method&0xffff)
	}
	return arguments
}

func (c *client) next() (method uint32, arguments []byte, err error) {
	var head [7]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return 0, nil, err
	}
	payload := make([]byte, binary.BigEndian.Uint32(head[3:])+1)
	if _, err := io.ReadFull(c, payload); err != nil {
		return 0, nil, err
	}
	if head[0] != frameMethod || len(payload) < 5 {
		return 0, nil, fmt.Errorf("frame %q %q", head, payload)
	}
	return binary.BigEndian.Uint32(payload), payload[4 : len(payload)-1], nil
}
