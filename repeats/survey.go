package repeats

import (
	"slices"
	"time"
)

// sampleMost bounds what the survey keeps. Of more repeats it takes every second
// group, every fourth, and so on: patterns that many repeats make are seen in a part.
const sampleMost = 1 << 20

// Survey sees every group before any of its repeats is classified.
type Survey struct {
	moments     []moment
	stride      uint32
	group       uint32
	first, last int64
	any         bool
}

// Add sees one group.
func (s *Survey) Add(g Group) {
	if len(g.Events) == 0 {
		return
	}
	s.Period(g.Events[0].At, g.Events[len(g.Events)-1].At)
	s.group++
	if s.stride = max(1, s.stride); s.group%s.stride != 0 {
		return
	}
	for i := 1; i < len(g.Events); i++ {
		if gap := g.gap(i); gap > raceAtMost {
			s.moments = append(s.moments, moment{g.Events[i].At, gap, s.group, g.identity(i) == otherMessage})
		}
	}
	if len(s.moments) > sampleMost {
		s.stride *= 2
		s.moments = slices.DeleteFunc(s.moments, func(m moment) bool { return m.group%s.stride != 0 })
	}
}

// Period widens what the source covers; single events count, too.
func (s *Survey) Period(from, to int64) {
	if !s.any {
		s.first, s.last, s.any = from, to, true
	}
	s.first, s.last = min(s.first, from), max(s.last, to)
}

// Settings are what is known beside the events.
type Settings struct {
	Queue      string          // sidekiq, celery, sqs; empty: not known
	Visibility []time.Duration // visibility timeouts that were set
	Deploys    []int64         // microseconds since 1970
	Naive      bool            // some times had no zone
}

// Context is what the classification of each repeat looks at.
type Context struct {
	Queue    string
	Timeouts []Timeout
	Bursts   []Burst
	Deploys  Deploys
	Naive    bool
}

// Context concludes the survey.
func (s *Survey) Context(set Settings) *Context {
	c := &Context{Queue: set.Queue, Naive: set.Naive, Deploys: Deploys{At: slices.Sorted(slices.Values(set.Deploys))}}
	slices.SortFunc(s.moments, func(a, b moment) int { return byTime(a, b.at) })
	c.Bursts = burstsIn(s.moments)
	c.Deploys.measure(s.moments, s.first, s.last)
	c.Timeouts = timeoutsIn(s.gaps(c), set.Visibility)
	return c
}

// gaps are those that may show a timeout, sorted. Another message waits for no timeout of
// this one; and a batch that began anew is one thing that happened, not many.
func (s *Survey) gaps(c *Context) (gaps []time.Duration) {
	var last *Burst
	for _, m := range s.moments {
		burst := c.burst(m.at)
		if m.other || burst != nil && burst.Alike && burst == last {
			continue
		}
		gaps, last = append(gaps, m.gap), burst
	}
	slices.Sort(gaps)
	return gaps
}

// Covers is the time from the first event to the last.
func (s *Survey) Covers() time.Duration { return time.Duration(s.last-s.first) * time.Microsecond }
