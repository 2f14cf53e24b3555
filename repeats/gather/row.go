package gather

import (
	"encoding/binary"
	"math/bits"

	"github.com/twiceproof/twiceproof/repeats"
)

// Row is one event, and where it is from.
type Row struct {
	repeats.Event
	Line uint64 // a hash of the whole line, to see it twice; 0: rows are never the same one
	File uint16
}

// found is a row that comes back, with its reference.
type found struct {
	reference []byte
	Row
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

// mostBeside is what a row takes at most beside its reference.
const mostBeside = 8 + 8 + 1 + 3 + 5 + 4*8

func appendRow(to []byte, hash uint64, reference string, r Row) []byte {
	to = binary.LittleEndian.AppendUint64(to, hash)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.At))
	flags := len(to)
	to = append(to, 0)
	to = binary.AppendUvarint(to, uint64(r.File))
	to = binary.AppendUvarint(to, uint64(len(reference)))
	to = append(to, reference...)
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

// rowAt reads the row at a place. Its reference is a part of the data.
func rowAt(data []byte, at int) (r found) {
	r.At = int64(binary.LittleEndian.Uint64(data[at+8:]))
	flags := data[at+16]
	at += 17
	file, n := binary.Uvarint(data[at:])
	length, m := binary.Uvarint(data[at+n:])
	at += n + m
	r.File = uint16(file)
	r.reference = data[at : at+int(length)]
	at += int(length)
	for bit, value := range [4]*uint64{&r.Line, &r.Message, &r.Content, &r.Key} {
		if flags&(1<<bit) != 0 {
			*value = binary.LittleEndian.Uint64(data[at:])
			at += 8
		}
	}
	if flags&isSecond != 0 {
		r.Source = 1
	}
	return r
}

// skipRow is the hash of the row at a place, and the place of the next.
func skipRow(data []byte, at int) (hash uint64, next int) {
	hash = binary.LittleEndian.Uint64(data[at:])
	flags := data[at+16]
	at += 17
	_, n := binary.Uvarint(data[at:])
	length, m := binary.Uvarint(data[at+n:])
	return hash, at + n + m + int(length) + 8*bits.OnesCount8(flags&(hasLine|hasMessage|hasContent|hasKey))
}
