package gather

import (
	"cmp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/repeats"
)

// Reference is one reference with its events, by time. Both are good during the call
// that gets them.
type Reference struct {
	Name   string
	Events []repeats.Event
}

// place is where a row of a part is.
type place struct {
	hash uint64
	at   int64
	row  uint32
}

// sorted is a part that has been read and put in order.
type sorted struct {
	data   string
	places []place
	err    error
}

// Families gives the references of each folded form: mostly one, and several that look
// alike. It empties the Gatherer. While one part is walked, the next is put in order.
func (g *Gatherer) Families(each func([]Reference) error) error {
	next, stop := make(chan sorted), make(chan struct{})
	defer func() {
		close(stop)
		for range next { // until the other goroutine has seen it and ended
		}
	}()
	go g.sortParts(next, stop)
	for part := range next {
		if part.err != nil {
			return part.err
		}
		if err := g.families(part.data, part.places, each); err != nil {
			return err
		}
	}
	return nil
}

func (g *Gatherer) sortParts(next chan<- sorted, stop <-chan struct{}) {
	defer close(next)
	var buffer []byte
	for i := range g.parts {
		var p sorted
		if buffer, p.err = g.parts[i].load(buffer); p.err == nil {
			g.parts[i].close()
			p.data = string(buffer)
			p.places = placesIn(p.data)
		}
		select {
		case next <- p:
		case <-stop:
			return
		}
	}
}

func placesIn(data string) (places []place) {
	for at := 0; at < len(data); {
		r, hash, next := rowAt(data, at)
		places = append(places, place{hash, r.At, uint32(at)})
		at = next
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.row, b.row))
	})
	return places
}

// families walks the runs of one hash. Rows of one hash have one folded form, but for
// a collision, which is told apart here.
func (g *Gatherer) families(data string, places []place, each func([]Reference) error) error {
	var w walk
	for i := 0; i < len(places); {
		j := i + 1
		for j < len(places) && places[j].hash == places[i].hash {
			j++
		}
		w.rows = w.rows[:0]
		for _, p := range places[i:j] {
			r, _, _ := rowAt(data, int(p.row))
			w.rows = append(w.rows, r)
		}
		i = j
		if err := w.give(&g.Identical, each); err != nil {
			return err
		}
	}
	return nil
}

// walk has what is used again for each run.
type walk struct {
	rows       []Row
	events     []repeats.Event
	references []Reference
}

func (w *walk) give(same *Identical, each func([]Reference) error) error {
	if len(w.rows) > 1 {
		slices.SortStableFunc(w.rows, func(a, b Row) int { return strings.Compare(a.Reference, b.Reference) })
	}
	w.events, w.references = slices.Grow(w.events[:0], len(w.rows)), w.references[:0]
	for i := 0; i < len(w.rows); {
		j := i + 1
		for j < len(w.rows) && w.rows[j].Reference == w.rows[i].Reference {
			j++
		}
		start := len(w.events)
		w.events = appendEvents(w.events, w.rows[i:j], same)
		w.references = append(w.references, Reference{w.rows[i].Reference, w.events[start:len(w.events):len(w.events)]})
		i = j
	}
	return givenByForm(w.references, each)
}

// appendEvents leaves out lines that are there already. An identical line has the same
// moment, too.
func appendEvents(events []repeats.Event, rows []Row, same *Identical) []repeats.Event {
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
		form := string(repeats.AppendFold(nil, r.Name))
		forms[form] = append(forms[form], r)
	}
	for _, family := range forms {
		if err := each(family); err != nil {
			return err
		}
	}
	return nil
}
