package gather

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/twiceproof/twiceproof/repeats"
)

// Kept keeps the groups that repeat, so that they can be walked more than once.
type Kept struct {
	folder string
	budget int
	spool  spool
	groups int
}

// NewKept makes one; what does not fit into the budget goes to a file in the folder.
func NewKept(folder string, budget int) *Kept { return &Kept{folder: folder, budget: budget} }

// Len is how many groups there are.
func (k *Kept) Len() int { return k.groups }

// Add keeps a group.
func (k *Kept) Add(name string, events []repeats.Event) error {
	k.groups++
	b := binary.AppendUvarint(k.spool.buffer, uint64(len(name)))
	b = append(b, name...)
	b = binary.AppendUvarint(b, uint64(len(events)))
	for _, e := range events {
		b = append(b, e.Source)
		for _, value := range [4]uint64{uint64(e.At), e.Message, e.Content, e.Key} {
			b = binary.LittleEndian.AppendUint64(b, value)
		}
	}
	k.spool.buffer = b
	if len(b) < k.budget {
		return nil
	}
	return k.spool.spill(k.folder)
}

// Each gives every group, in the order in which they came. It is good during the call.
func (k *Kept) Each(do func(repeats.Group)) error {
	r := k.spool.reader()
	var (
		name   []byte
		events []repeats.Event
		one    [33]byte
	)
	for {
		length, err := binary.ReadUvarint(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name = slices.Grow(name[:0], int(length))[:length]
		if _, err := io.ReadFull(r, name); err != nil {
			return err
		}
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		events = events[:0]
		for range n {
			if _, err := io.ReadFull(r, one[:]); err != nil {
				return err
			}
			events = append(events, eventOf(one))
		}
		do(repeats.Group{Reference: string(name), Events: events})
	}
}

func eventOf(b [33]byte) repeats.Event {
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[1+8*i:]) }
	return repeats.Event{Source: b[0], At: int64(at(0)), Message: at(1), Content: at(2), Key: at(3)}
}

// Close lets the file go.
func (k *Kept) Close() { k.spool.close() }
