package amqpwire_test

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

const greeting = "AMQP\x00\x00\x09\x01"

// What is not AMQP 0-9-1 ends the connection, and says why.
func TestMalformed(t *testing.T) {
	frame := func(kind byte, channel uint16, payload string, end byte) string {
		b := binary.BigEndian.AppendUint16([]byte{kind}, channel)
		b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
		return string(append(append(b, payload...), end))
	}
	for sent, why := range map[string]string{
		"AMQP\x00\x01\x00\x00":                                       "it begins with",
		greeting + "GET / HTTP":                                      "a frame begins with",
		greeting + frame(1, 1, "\x00\x0a\x00\x0b", 0):                "a frame ends in 0x0",
		greeting + frame(1, 1, "\x00\x3c\x00\x50\x00", 0xce):         "Basic.Ack is cut short",
		greeting + frame(3, 1, "body", 0xce):                         "a frame of kind 3 has no place on channel 1",
		greeting + "\x01\x00\x01\x7f\xff\xff\xff":                    "is longer than",
		greeting + frame(1, 1, "\x00\x3c\x00\x28\x00\x00\x01", 0xce): "Basic.Publish is cut short",
		greeting + frame(1, 1, "\x00\x3c\x00\x28\x00\x00\x00\x00\x00", 0xce) + frame(2, 1, "\x00\x3c", 0xce): "header is cut short",
	} {
		s := start(t)
		conn := wiretest.Dial(t, s.proxy.Addr())
		if _, err := conn.Write([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, conn) // up to the end, which is a reset or not
		s.proxy.Close()
		if notes := strings.Join(s.Unreadable(), "\n"); !strings.Contains(notes, why) || !strings.Contains(notes, "the worker does not speak AMQP 0-9-1") {
			t.Errorf("%.30q: notes %q", sent, notes)
		}
		if got := s.Steps(); len(got) != 0 {
			t.Errorf("%.30q: steps %q", sent, got)
		}
	}
}

// The size of a frame is what both sides have agreed on.
func TestFrameLimit(t *testing.T) {
	s := start(t)
	conn, err := amqp.DialConfig("amqp://guest:guest@"+s.proxy.Addr()+"/", amqp.Config{FrameSize: 4096})
	check(t, err)
	ch := channel(t, conn)
	check(t, ch.PublishWithContext(t.Context(), "", queue, false, false, amqp.Publishing{Body: make([]byte, 10_000)}))
	closeAll(t, conn)
	if notes := s.Unreadable(); len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
	s.Want(t, "Channel.Open [OK]", "Basic.Publish jobs []")
}

// The same of the broker, whose place another one takes.
func TestBrokerIsNone(t *testing.T) {
	other, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	defer func() { _ = other.Close() }()
	go func() {
		for _, says := range []string{"AMQP\x00\x01\x00\x00", "\x01\x00\x00\x00\x00\x00\x00\x00"} {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 8)) // whatever comes
			_, _ = conn.Write([]byte(says))
			_ = conn.Close()
		}
	}()
	s := start(t)
	s.addr = other.Addr().String()
	s.listen(t)
	for range 2 {
		if _, err := amqp.Dial("amqp://" + s.proxy.Addr()); err == nil {
			t.Error("connected")
		}
	}
	s.proxy.Close()
	if notes := strings.Join(s.Unreadable(), "\n"); strings.Count(notes, "the broker does not speak AMQP 0-9-1") != 2 {
		t.Errorf("notes %q", notes)
	}
}

// beat is long enough for a machine that stands still for a while: the broker ends a connection
// of which it has heard nothing for twice as long.
const beat = 3 * time.Second

// Heartbeats pass a step that is held, both ways. The control is a connection that began
// after the held one and sends none: the broker ends it.
func TestHeartbeatsPassWhatIsHeld(t *testing.T) {
	s := start(t)
	s.push(t, "m1", "m2")
	heartbeat := amqp.Config{Heartbeat: beat}
	conn, err := amqp.DialConfig("amqp://guest:guest@"+s.proxy.Addr()+"/", heartbeat)
	check(t, err)
	ended := conn.NotifyClose(make(chan *amqp.Error, 1))
	ch := channel(t, conn)
	check(t, ch.Qos(1, 0, false))
	messages, err := ch.ConsumeWithContext(t.Context(), queue, "", false, false, false, false, nil)
	check(t, err)
	up := s.gate.Arm(wire.Fault{Match: text(ack), Do: wire.Hold})
	first := next(t, messages)
	down := s.gate.Arm(wire.Fault{Match: text(deliver), Do: wire.Hold})
	check(t, first.Ack(false))
	<-up.Fired()
	mute(t, s.addr)
	up.Release()
	<-down.Fired()
	mute(t, s.addr)
	down.Release()
	check(t, next(t, messages).Ack(false))
	s.Wait(t, ack, wire.Passed)
	select {
	case err := <-ended:
		t.Errorf("the connection has ended: %v", err)
	default:
	}
	closeAll(t, conn)
	if got := s.queued(t); got != 0 {
		t.Errorf("queued %d", got)
	}
}

// mute waits until the broker has ended a connection that agrees on heartbeats and sends
// none.
func mute(t *testing.T, addr string) {
	t.Helper()
	silent := &silentConn{Conn: wiretest.Dial(t, addr)}
	conn, err := amqp.Open(silent, amqp.Config{Vhost: "/", Heartbeat: beat, SASL: []amqp.Authentication{&amqp.PlainAuth{Username: "guest", Password: "guest"}}})
	check(t, err)
	ended := conn.NotifyClose(make(chan *amqp.Error, 1))
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the control lives")
	}
}

// silentConn sends no heartbeats.
type silentConn struct{ net.Conn }

func (c *silentConn) Write(p []byte) (int, error) {
	if len(p) > 0 && p[0] == 8 {
		return len(p), nil
	}
	return c.Conn.Write(p)
}
