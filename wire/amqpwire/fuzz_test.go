package amqpwire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"sync/atomic"
	"testing"
)

func made(kind byte, channel uint16, payload string) string {
	b := binary.BigEndian.AppendUint16([]byte{kind}, channel)
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	return string(append(append(b, payload...), frameEnd))
}

// FuzzFrames reads bytes as what either side says. Nothing panics, and the bytes of all
// frames and contents together are those that came.
func FuzzFrames(f *testing.F) {
	publish := made(1, 1, "\x00\x3c\x00\x28\x00\x00\x00\x04jobs\x00")
	header := made(2, 1, "\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\xff\x80\x01t\x01e\x00\x00\x00\x00\x02\x01\x01c\x01r\x01x\x01m")
	f.Add([]byte(publish + header + made(3, 1, "abc") + made(8, 0, "")))
	f.Add([]byte(publish + made(2, 1, "\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")))
	f.Add([]byte(made(1, 1, "\x00\x3c\x00\x3c\x01t\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x04jobs") + header + made(3, 1, "abcd")))
	f.Add([]byte(made(1, 1, "\x00\x3c\x00\x50\x00\x00\x00\x00\x00\x00\x00\x00\x01")))
	f.Add([]byte(made(1, 1, "\x00\x14\x00\x28\x01\x94\x09NOT_FOUND\x00\x32\x00\x0a")))
	f.Add([]byte(closeFrame + closeOKFrame))
	f.Add([]byte(made(1, 0, "\x00\x0a\x00\x1f\x00\x00\x00\x00\x10\x00\x00\x00")))
	f.Add([]byte(made(1, 1, "\x00\x32\x00\x0a\x00\x00\x01q\x10")))
	f.Add([]byte("\x01\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, said []byte) {
		fs := frames{bufio.NewReader(bytes.NewReader(said)), &atomic.Uint32{}}
		fs.max.Store(1 << 16)
		r := reading{session: session{channels: channels{all: map[uint16]*channelState{}}}, asked: contents{}, heard: contents{}}
		var edges boundary
		seen := 0
		for {
			fr, err := fs.next()
			if err != nil {
				break
			}
			if edges.pass(fr.raw); !edges.isBetween() || !bytes.HasPrefix(said[seen:], fr.raw) {
				t.Fatalf("read %q of %q", fr.raw, said[seen:])
			}
			seen += len(fr.raw)
			r.look(t, fr)
		}
		r.asked.drop()
		r.heard.drop()
	})
}

// reading looks at each frame as if it came from either side.
type reading struct {
	session
	asked, heard contents
}

func (r *reading) look(t *testing.T, fr frame) {
	m, known := method(0), false
	if fr.kind() == methodFrame {
		m = methodOf(fr)
		_, known = specs[m]
		isClose(fr.raw)
		status(m, fr)
		r.learn(m, fr)
		if message, noAck, err := r.comes(m, fr); err == nil {
			_ = r.heard.begin(fr, message, noAck) // refused while another one is under way
		}
	} else {
		r.content(t, r.asked, fr)
		r.content(t, r.heard, fr)
	}
	if !known {
		return
	}
	names, _, err := specs[m].of(fr)
	switch {
	case err != nil:
	case m == basicPublish:
		_ = r.asked.begin(fr, Message{Exchange: names[0]}, false) // as above
	default:
		r.expect(m, fr, names)
		_ = r.acknowledges(m, fr, &Said{}) // of any method: it may be cut short
	}
}

func (r *reading) content(t *testing.T, under contents, fr frame) {
	c, err := under.add(fr)
	if c == nil || err != nil {
		return
	}
	DefaultName(Said{Method: "Basic.Deliver", Messages: []Message{c.message}})
	var sent bytes.Buffer
	if err := c.Send(&sent); err != nil || !bytes.HasSuffix(sent.Bytes(), fr.raw) {
		t.Fatalf("a content of %q that ends with %q", sent.Bytes(), fr.raw)
	}
}
