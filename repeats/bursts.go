package repeats

import (
	"math"
	"slices"
	"time"
)

// Burst is a moment at which many references repeat.
type Burst struct {
	From, To   int64
	References int
	Alike      bool // all after the same time
}

// moment is one repeat in the survey.
type moment struct {
	at    int64
	gap   time.Duration
	group uint32
	other bool // another message than the one before
}

// burstsIn finds them among the repeats' moments, sorted by time.
func burstsIn(moments []moment) []Burst {
	var found []Burst
	for i := 0; i < len(moments); {
		n := burstAt(moments, i)
		if n == 0 {
			i++
			continue
		}
		found = append(found, burstOf(moments[i:i+n]))
		i += n
	}
	return found
}

// burstAt is how many moments from the i-th on are one burst, or 0.
func burstAt(moments []moment, i int) int {
	n := 0
	for i+n < len(moments) && moments[i+n].at-moments[i].at <= burstWithin.Microseconds() {
		n++
	}
	if n < burstReferences || references(moments[i:i+n]) < burstReferences || !unusual(moments, i, n) {
		return 0
	}
	for i+n < len(moments) && moments[i+n].at-moments[i+n-1].at <= burstWithin.Microseconds() &&
		moments[i+n].at-moments[i].at <= burstLongest.Microseconds() {
		n++
	}
	return n
}

// unusual: far more than in the half hour before, or after, so that a busy time is no
// burst. A burst goes on beyond its first seconds, so the quieter side is the measure;
// a side that the data hardly covers is none.
func unusual(moments []moment, i, n int) bool {
	at, around := moments[i].at, burstAround.Microseconds()
	quietest := math.Inf(1)
	if from := max(at-around, moments[0].at); at-from >= burstCovered.Microseconds() {
		a, _ := slices.BinarySearchFunc(moments, from, byTime)
		quietest = float64(i-a) / float64(at-from)
	}
	if to := min(at+around, moments[len(moments)-1].at); to-at >= burstCovered.Microseconds() {
		b, _ := slices.BinarySearchFunc(moments, to+1, byTime)
		quietest = min(quietest, float64(max(0, b-i-n))/float64(to-at))
	}
	return math.IsInf(quietest, 1) || float64(n) >= burstTimes*quietest*float64(burstWithin.Microseconds())
}

func byTime(m moment, at int64) int {
	switch {
	case m.at < at:
		return -1
	case m.at > at:
		return 1
	}
	return 0
}

func references(moments []moment) int {
	seen := map[uint32]bool{}
	for _, m := range moments {
		seen[m.group] = true
	}
	return len(seen)
}

func burstOf(moments []moment) Burst {
	shortest, longest := moments[0].gap, moments[0].gap
	for _, m := range moments {
		shortest, longest = min(shortest, m.gap), max(longest, m.gap)
	}
	return Burst{
		From: moments[0].at, To: moments[len(moments)-1].at, References: references(moments), Alike: alike(shortest, longest),
	}
}

// burst is the one that the moment is in.
func (c *Context) burst(at int64) *Burst {
	i, _ := slices.BinarySearchFunc(c.Bursts, at, func(b Burst, at int64) int {
		switch {
		case b.To < at:
			return -1
		case b.From > at:
			return 1
		}
		return 0
	})
	if i < len(c.Bursts) && c.Bursts[i].From <= at && at <= c.Bursts[i].To {
		return &c.Bursts[i]
	}
	return nil
}
