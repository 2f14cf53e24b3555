package gather

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/twiceproof/twiceproof/repeats"
)

// Reference is one reference with its events, by time. Both are good during the call
// that gets them.
type Reference struct {
	Name   []byte
	Events []repeats.Event
}

// indexed is a part that has been read and in which rows of one hash can be found.
type indexed struct {
	data []byte
	index
	err error
}

// Families gives the references of each folded form: mostly one, and several that look
// alike. It empties the Gatherer. While one part is walked, the next is made ready.
func (g *Gatherer) Families(each func([]Reference) error) error {
	next, used, stop := make(chan *indexed), make(chan *indexed, 2), make(chan struct{})
	defer func() {
		close(stop)
		for range next { // until the other goroutine has seen it and ended
		}
	}()
	for range cap(used) {
		used <- &indexed{}
	}
	go g.indexParts(next, used, stop)
	w := walk{each: each, same: &g.Identical}
	for part := range next {
		if part.err != nil {
			return part.err
		}
		if err := w.part(part); err != nil {
			return err
		}
		used <- part
	}
	return nil
}

func (g *Gatherer) indexParts(next chan<- *indexed, used <-chan *indexed, stop <-chan struct{}) {
	defer close(next)
	for i := range g.parts {
		var p *indexed
		select {
		case p = <-used:
		case <-stop:
			return
		}
		if p.data, p.err = g.parts[i].load(p.data); p.err == nil {
			g.parts[i].close()
			p.build(p.data)
		}
		select {
		case next <- p:
		case <-stop:
			return
		}
	}
}

// walk gives the families of each part. It has what is used again for each.
type walk struct {
	each       func([]Reference) error
	same       *Identical
	places     []uint32
	rows       []found
	events     []repeats.Event
	references []Reference
}

// part walks the rows that have one hash. They have one folded form, but for a collision,
// which is told apart later.
func (w *walk) part(p *indexed) error {
	for i := range p.places {
		w.places = p.take(i, w.places[:0])
		if len(w.places) == 0 {
			continue
		}
		w.rows = w.rows[:0]
		for _, at := range w.places {
			w.rows = append(w.rows, rowAt(p.data, int(at)))
		}
		if err := w.give(); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) give() error {
	if len(w.rows) > 1 {
		slices.SortStableFunc(w.rows, func(a, b found) int {
			return cmp.Or(bytes.Compare(a.reference, b.reference), cmp.Compare(a.At, b.At))
		})
	}
	w.events, w.references = slices.Grow(w.events[:0], len(w.rows)), w.references[:0]
	for i := 0; i < len(w.rows); {
		j := i + 1
		for j < len(w.rows) && bytes.Equal(w.rows[j].reference, w.rows[i].reference) {
			j++
		}
		start := len(w.events)
		w.events = appendEvents(w.events, w.rows[i:j], w.same)
		w.references = append(w.references, Reference{w.rows[i].reference, w.events[start:len(w.events):len(w.events)]})
		i = j
	}
	return givenByForm(w.references, w.each)
}

// appendEvents leaves out lines that are there already. An identical line has the same
// moment, too.
func appendEvents(events []repeats.Event, rows []found, same *Identical) []repeats.Event {
	if len(rows) == 1 || rows[0].Line == 0 {
		for _, r := range rows {
			events = append(events, r.Event)
		}
		return events
	}
	type line struct {
		hash   uint64
		source uint8
	}
	seen := make(map[line]uint16, len(rows))
	for _, r := range rows {
		file, is := seen[line{r.Line, r.Source}]
		switch {
		case !is:
			seen[line{r.Line, r.Source}] = r.File
			events = append(events, r.Event)
		case file == r.File:
			same.SameFile++
		default:
			same.OtherFile++
		}
	}
	return events
}

// givenByForm: a hash that two forms share is no family.
func givenByForm(references []Reference, each func([]Reference) error) error {
	if len(references) < 2 {
		return each(references)
	}
	forms := map[string][]Reference{}
	for _, r := range references {
		form := string(repeats.AppendFold(nil, string(r.Name)))
		forms[form] = append(forms[form], r)
	}
	for _, family := range forms {
		if err := each(family); err != nil {
			return err
		}
	}
	return nil
}
