package amqpwire

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/wire"
)

// Kinds of frames.
const (
	methodFrame    = 1
	headerFrame    = 2
	bodyFrame      = 3
	heartbeatFrame = 8
)

const (
	frameHead = 7 // kind, channel, size
	frameEnd  = 0xce
	around    = frameHead + 1
	largest   = 128 << 20 // where the sides have agreed on no bound
)

// frame is one frame, whose bytes are its own.
type frame struct{ raw []byte }

func (f frame) kind() byte      { return f.raw[0] }
func (f frame) channel() uint16 { return binary.BigEndian.Uint16(f.raw[1:]) }
func (f frame) payload() []byte { return f.raw[frameHead : len(f.raw)-1] }

// Send writes the frame.
func (f frame) Send(w io.Writer) error {
	_, err := w.Write(f.raw)
	return err
}

// frames reads one side of a connection.
type frames struct {
	*bufio.Reader
	max *atomic.Uint32 // what the sides have agreed on; 0: nothing
}

func (fs *frames) next() (frame, error) {
	head, err := fs.Peek(frameHead)
	if err != nil {
		return frame{}, err
	}
	size := uint64(binary.BigEndian.Uint32(head[3:])) + around
	limit := uint64(fs.max.Load())
	if limit == 0 {
		limit = largest
	}
	switch kind := head[0]; {
	case kind != methodFrame && kind != headerFrame && kind != bodyFrame && kind != heartbeatFrame:
		return frame{}, wire.Wrong("a frame begins with %q", head)
	case size > limit:
		return frame{}, wire.Wrong("a frame of %d bytes is longer than %d", size, limit)
	}
	f := frame{make([]byte, size)}
	if _, err := io.ReadFull(fs, f.raw); err != nil {
		return frame{}, err
	}
	if end := f.raw[size-1]; end != frameEnd {
		return frame{}, wire.Wrong("a frame ends in %#x", end)
	}
	if f.kind() == methodFrame && len(f.payload()) < 4 {
		return frame{}, wire.Wrong("a method frame has no method")
	}
	return f, nil
}
