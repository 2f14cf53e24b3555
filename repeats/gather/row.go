package gather

import (
	"encoding/binary"

	"github.com/twiceproof/twiceproof/repeats"
)

// Row is one event with the reference it belongs to.
type Row struct {
	Reference string
	repeats.Event
	Line uint64 // a hash of the whole line, to see it twice; 0: rows are never the same one
	File uint16 // which file it is from
}

// A row in a part: the hash that chose it, the moment, what is there, the file, the
// reference, and the hashes that are there.
const (
	hasLine = 1 << iota
	hasMessage
	hasContent
	hasKey
	isSecond
)

func appendRow(to []byte, hash uint64, r Row) []byte {
	to = binary.LittleEndian.AppendUint64(to, hash)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.At))
	flags := len(to)
	to = append(to, 0)
	to = binary.AppendUvarint(to, uint64(r.File))
	to = binary.AppendUvarint(to, uint64(len(r.Reference)))
	to = append(to, r.Reference...)
	for bit, value := range hashes(r) {
		if value != 0 {
			to[flags] |= 1 << bit
			to = binary.LittleEndian.AppendUint64(to, value)
		}
	}
	if r.Source != 0 {
		to[flags] |= isSecond
	}
	return to
}

func hashes(r Row) [4]uint64 { return [4]uint64{r.Line, r.Message, r.Content, r.Key} }

// rowAt reads the row at a place, and the place of the next.
func rowAt(data string, at int) (r Row, hash uint64, next int) {
	hash, r.At = word(data, at), int64(word(data, at+8))
	flags := data[at+16]
	at += 17
	file, at := uvarint(data, at)
	length, at := uvarint(data, at)
	r.File = uint16(file)
	r.Reference = data[at : at+int(length)]
	at += int(length)
	for bit, value := range [4]*uint64{&r.Line, &r.Message, &r.Content, &r.Key} {
		if flags&(1<<bit) != 0 {
			*value = word(data, at)
			at += 8
		}
	}
	if flags&isSecond != 0 {
		r.Source = 1
	}
	return r, hash, at
}

func word(data string, at int) uint64 {
	return binary.LittleEndian.Uint64([]byte(data[at : at+8]))
}

func uvarint(data string, at int) (value uint64, next int) {
	for shift := 0; ; shift += 7 {
		b := data[at]
		at++
		value |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return value, at
		}
	}
}
