package scan

import (
	"slices"
	"time"

	"github.com/twiceproof/twiceproof/repeats"
	"github.com/twiceproof/twiceproof/repeats/gather"
)

// Result is what a scan found.
type Result struct {
	Events     int            // that were counted
	References int            // different ones, of the first source
	Left       map[string]int // what was left out, by kind
	Identical  gather.Identical
	Sources    [2]Source // the second only of a join
	Alikes     repeats.Alikes
	Joined     *repeats.Joined
	Key        *repeats.KeyCheck
}

// Source is what one of the sources shows.
type Source struct {
	Events     int
	References int
	Covers     time.Duration
	Context    *repeats.Context
	repeats.Tally
}

// Repeats are those of both sources.
func (r *Result) Repeats() int { return r.Sources[0].Repeats + r.Sources[1].Repeats }

// Legitimate are those of them that may be operations of their own.
func (r *Result) Legitimate() (n int) {
	for i := range r.Sources {
		if t := r.Sources[i].Classes[repeats.MaybeLegitimate]; t != nil {
			n += t.Repeats
		}
	}
	return n
}

// finish is what Finish works on.
type finish struct {
	*Scan
	kept    *gather.Kept
	surveys [2]repeats.Survey
	joined  repeats.Joined
	split   [2][]repeats.Event
}

// Finish brings the rows together and classifies. Joined says that there are two sources.
func (s *Scan) Finish(joined bool) (*Result, error) {
	f := &finish{Scan: s, kept: gather.NewKept(s.o.Folder, s.o.Budget)}
	defer f.kept.Close()
	r := &s.result
	r.Alikes.Limit = s.o.Limit
	if joined {
		r.Joined = &f.joined
	}
	if err := s.rows.Families(f.family); err != nil {
		return nil, err
	}
	r.Identical = s.rows.Identical
	if err := f.checkKeys(); err != nil {
		return nil, err
	}
	return r, f.classify()
}

func (f *finish) family(references []gather.Reference) error {
	if len(references) > 1 {
		names := make([]string, len(references))
		for i, r := range references {
			names[i] = string(r.Name)
		}
		f.result.Alikes.Add(names)
	}
	for _, r := range references {
		if err := f.reference(r); err != nil {
			return err
		}
	}
	return nil
}

func (f *finish) reference(r gather.Reference) error {
	f.divide(r.Events)
	if f.result.Joined != nil {
		f.joined.Add(f.split[0], f.split[1])
	}
	for i, events := range f.split {
		if len(events) == 0 {
			continue
		}
		of := &f.result.Sources[i]
		of.References++
		of.Events += len(events)
		f.result.Events += len(events)
		f.surveys[i].Period(events[0].At, events[len(events)-1].At)
		if len(events) > 1 {
			if err := f.repeated(i, string(r.Name), events); err != nil {
				return err
			}
		}
	}
	return nil
}

// divide parts the events by source. Mostly there is one source, and nothing is copied.
func (f *finish) divide(events []repeats.Event) {
	if f.result.Joined == nil {
		f.split[0], f.split[1] = events, nil
		return
	}
	f.split[0], f.split[1] = f.split[0][:0], f.split[1][:0]
	for _, e := range events {
		f.split[e.Source] = append(f.split[e.Source], e)
	}
}

func (f *finish) repeated(i int, name string, events []repeats.Event) error {
	g := repeats.Group{Reference: name, Events: events}
	f.surveys[i].Add(g)
	if f.result.Key != nil && i == 0 {
		f.result.Key.AddReference(g)
	}
	return f.kept.Add(name, events)
}

func (f *finish) checkKeys() error {
	if f.keys == nil {
		return nil
	}
	return f.keys.Families(func(keys []gather.Reference) error {
		for _, k := range keys {
			f.result.Key.AddKey(k.Events)
		}
		return nil
	})
}

func (f *finish) classify() error {
	for _, clock := range f.clocks {
		f.o.Settings.Naive = f.o.Settings.Naive || clock.Naive > 0 && clock.Zone == nil
	}
	for i := range f.surveys {
		of := &f.result.Sources[i]
		of.Context = f.surveys[i].Context(f.o.Settings)
		of.Covers = f.surveys[i].Covers()
		of.Limit = f.o.Limit
	}
	if f.result.Joined != nil {
		f.joined.Conclude()
	}
	return f.kept.Each(func(g repeats.Group) {
		of := &f.result.Sources[g.Events[0].Source]
		of.Add(of.Context, g)
	})
}

// Kinds are what was left out, most first.
func (r *Result) Kinds() []string {
	var kinds []string
	for kind := range r.Left {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		if d := r.Left[b] - r.Left[a]; d != 0 {
			return d
		}
		return slices.Compare([]byte(a), []byte(b))
	})
	return kinds
}
