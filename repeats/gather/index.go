package gather

import "math/bits"

// index finds the rows of one hash: it chains those that agree in some of its bits. To
// sort the rows by hash took longer than all else that is done with them.
type index struct {
	places []place
	first  []uint32 // of each chain: the place of its first row and one, or 0
}

// place is where a row is.
type place struct {
	hash uint64
	at   uint32
	next uint32 // of the chain: a place and one, or 0
	used bool
}

// build chains the rows so that each chain is in the order in which they came.
func (x *index) build(data []byte) {
	x.places = x.places[:0]
	for at := 0; at < len(data); {
		hash, next := skipRow(data, at)
		x.places = append(x.places, place{hash: hash, at: uint32(at)})
		at = next
	}
	size := 1 << bits.Len(uint(len(x.places)))
	if cap(x.first) < size {
		x.first = make([]uint32, size)
	}
	x.first = x.first[:size]
	clear(x.first)
	for i := len(x.places) - 1; i >= 0; i-- {
		p := &x.places[i]
		chain := &x.first[p.hash&uint64(size-1)] // its high bits chose the part
		p.next, *chain = *chain, uint32(i+1)
	}
}

// take appends where the rows are that have the hash of the i-th; none, when they have
// been taken already.
func (x *index) take(i int, to []uint32) []uint32 {
	first := &x.places[i]
	if first.used {
		return to
	}
	for p := first; ; p = &x.places[p.next-1] {
		if p.hash == first.hash {
			p.used = true
			to = append(to, p.at)
		}
		if p.next == 0 {
			return to
		}
	}
}
