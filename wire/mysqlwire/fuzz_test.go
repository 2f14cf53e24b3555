package mysqlwire

import (
	"bufio"
	"bytes"
	"io"
	"testing"
)

// FuzzPackets reads bytes as what either side says, in each shape of a reply. Nothing
// panics, and the bytes of all packets together are those that came.
func FuzzPackets(f *testing.F) {
	f.Add([]byte("\x07\x00\x00\x01\x00\x01\x00\x02\x00\x00\x00"), byte(comQuery), true)
	f.Add([]byte("\x01\x00\x00\x01\x01\x02\x00\x00\x02\x03d\x05\x00\x00\x03\xfe\x00\x00\x02\x00\x02\x00\x00\x04\x01a\x05\x00\x00\x05\xfe\x00\x00\x0a\x00"), byte(comStmtExecute), false)
	f.Add([]byte("\x0c\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x00\x00\x02\x03"), byte(comStmtPrepare), false)
	f.Add([]byte("\x00\x00\x00\x01"), byte(comQuery), false) // nothing in it
	f.Add([]byte("\x09\x00\x00\x01\xff\x48\x04#23000"), byte(comStmtFetch), true)
	f.Add([]byte("\x05\x00\x00\x00\x17\x01\x00\x00\x00\x00\x00\x00\x00"), byte(comStmtClose), true)
	f.Fuzz(func(t *testing.T, said []byte, kind byte, noEOF bool) {
		ps := packets{Reader: bufio.NewReader(bytes.NewReader(said))}
		a := newAnswer(shapes[kind], noEOF, false, []string{"CALL"})
		r := newRequest()
		r.begin(kind)
		var seen []byte
		for {
			p, err := ps.next()
			if err != nil {
				break
			}
			seen = append(seen, p.raw...)
			if ended, err := a.see(p); ended || err != nil {
				a = newAnswer(shapes[kind], noEOF, false, nil)
			}
			r.see(p)
			if len(r.head) > 0 {
				r.title()
				r.answered(outcome{statement: 1})
			}
			_, _ = declineGreeting(p, true)
			_, _, _ = declineResponse(p)
			if seen := seen[len(seen)-len(p.raw):]; len(seen) != header+len(p.payload()) {
				t.Errorf("a packet of %d bytes has a payload of %d", len(seen), len(p.payload()))
			}
		}
		if !bytes.HasPrefix(said, seen) || len(said)-len(seen) > 0 && complete(said[len(seen):]) {
			t.Errorf("read %q of %q", seen, said)
		}
	})
}

// complete says that a whole packet is at the front.
func complete(b []byte) bool {
	ps := packets{Reader: bufio.NewReader(io.MultiReader(bytes.NewReader(b)))}
	_, err := ps.next()
	return err == nil
}
