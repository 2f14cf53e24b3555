package pgwire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/twiceproof/twiceproof/wire"
)

// Messages of the worker.
const (
	bind         = 'B'
	closeNamed   = 'C'
	copyDone     = 'c'
	copyFail     = 'f'
	describe     = 'D'
	execute      = 'E'
	flush        = 'H'
	functionCall = 'F'
	parse        = 'P'
	password     = 'p'
	query        = 'Q'
	syncs        = 'S'
	terminate    = 'X'
)

// Messages of the server.
const (
	backendKeyData       = 'K'
	commandComplete      = 'C'
	copyBothResponse     = 'W'
	copyInResponse       = 'G'
	errorResponse        = 'E'
	functionCallResponse = 'V'
	parseComplete        = '1'
	portalSuspended      = 's'
	readyForQuery        = 'Z'
)

// answers are the messages that end the answer to one Parse, Bind, Close,
// Describe or Execute.
const answers = "123TnCIs"

// unasked are the messages that the server may send at any time: a notification,
// a notice, a parameter's status.
const unasked = "ANS"

const (
	header   = 5       // type and length
	maxFrame = 1 << 30 // PostgreSQL's own bound
	keep     = 1 << 20 // a larger buffer is not kept for the next message
)

// frame is one message. Its bytes are good until the next one is read.
type frame struct {
	kind byte
	raw  []byte
}

func (f frame) body() []byte { return f.raw[header:] }

// feeds says that the message ends the data of a COPY.
func (f frame) feeds() bool { return f.kind == copyDone || f.kind == copyFail }

// fatal says that the server ends the connection with this message.
func (f frame) fatal() bool {
	severity := field(f.body(), 'V')
	return f.kind == errorResponse && (severity == "FATAL" || severity == "PANIC")
}

// frames reads one side of a connection that has started.
type frames struct {
	*bufio.Reader
	buf []byte
}

func (fs *frames) next() (frame, error) {
	head, err := fs.Peek(header)
	if err != nil {
		return frame{}, err
	}
	n := int(binary.BigEndian.Uint32(head[1:])) + 1
	if n < header || n > maxFrame {
		return frame{}, wire.Wrong("message %q has a length of %d", head[0], n)
	}
	if cap(fs.buf) < n || cap(fs.buf) > keep {
		fs.buf = make([]byte, max(n, 4096))
	}
	raw := fs.buf[:n]
	_, err = io.ReadFull(fs, raw)
	return frame{raw[0], raw}, err
}

// text cuts a string that ends in a zero byte from the front of b.
func text(b []byte) (s string, rest []byte) {
	front, rest, _ := bytes.Cut(b, []byte{0})
	return string(front), rest
}

// field is one field of an ErrorResponse.
func field(body []byte, name byte) string {
	for len(body) > 1 {
		value, rest := text(body[1:])
		if body[0] == name {
			return value
		}
		body = rest
	}
	return ""
}
