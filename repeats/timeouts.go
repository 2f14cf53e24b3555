package repeats

import (
	"slices"
	"time"
)

// Timeout is a length at which gaps pile up.
type Timeout struct {
	Length time.Duration
	Given  bool // somebody said that it is the visibility timeout
	Gaps   int  // how many are there, multiples too
}

// wellKnown are usual visibility timeouts: Amazon SQS has 30 s and at most 12 h, Celery
// on Redis 1 h.
var wellKnown = []time.Duration{
	30 * time.Second, 45 * time.Second, time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// multiple is k where the gap is k times the length and what a run and a poll take.
func (t Timeout) multiple(gap time.Duration) (k int, ok bool) {
	k = max(1, int((gap+earlier(gap))/t.Length))
	if k > mostMultiples {
		return 0, false
	}
	at := time.Duration(k) * t.Length
	return k, at-earlier(at) <= gap && gap <= at+later(t.Length)
}

// earlier: the first run may have had its effect later in the run than the second.
func earlier(length time.Duration) time.Duration { return max(time.Second, length/200) }

// later: the queue looks now and then, and the worker polls.
func later(length time.Duration) time.Duration { return max(2*time.Second, length/20) }

// timeoutsIn finds where gaps, sorted, pile up, beside the lengths that are given. What
// piles up at a multiple of a shorter one belongs to that.
func timeoutsIn(gaps []time.Duration, given []time.Duration) []Timeout {
	var found []Timeout
	for _, length := range given {
		found = append(found, Timeout{Length: length, Given: true})
	}
	for i := 0; i < len(gaps); {
		n, ok := pileAt(gaps, i)
		if !ok {
			i++
			continue
		}
		length := rounded(fullest(gaps, i, n))
		if length <= longestTimeout && !slices.ContainsFunc(found, func(t Timeout) bool { _, is := t.multiple(gaps[i+n/2]); return is }) {
			found = append(found, Timeout{Length: length})
		}
		i += n
	}
	for j := range found {
		for _, gap := range gaps {
			if _, is := found[j].multiple(gap); is {
				found[j].Gaps++
			}
		}
	}
	return found
}

// pileAt says whether a pile begins with the i-th gap, and how many are in it: many times
// as many as just before and after it, and so many that chance does not make them of gaps
// that are spread evenly from half of its length to twice.
func pileAt(gaps []time.Duration, i int) (n int, ok bool) {
	from := gaps[i]
	width := later(from)
	n = within(gaps, from, from+width)
	before, after := within(gaps, from-width, from-1), within(gaps, from+width+1, from+2*width+1)
	around := within(gaps, from/2, 2*from) - n
	chance := float64(around) * float64(width) / float64(2*from-from/2)
	return n, from-width > raceAtMost && float64(n) >= peakRepeats+peakChance*chance && before*peakContrast <= n && after*peakContrast <= n
}

// fullest is the gap of a pile at which it is closest: a timeout is over before its message
// comes, so that the gaps begin with its length; and stray ones may lie below.
func fullest(gaps []time.Duration, i, n int) time.Duration {
	best, most := gaps[i], 0
	for _, from := range gaps[i : i+n] {
		if in := within(gaps, from, from+later(from)/4); in > most {
			best, most = from, in
		}
	}
	return best
}

// within counts the gaps, sorted, from one length to another, both included.
func within(gaps []time.Duration, from, to time.Duration) int {
	a, _ := slices.BinarySearch(gaps, from)
	b, _ := slices.BinarySearch(gaps, to+1)
	return b - a
}

// rounded is the usual length that a measured one stands for, or whole seconds.
func rounded(gap time.Duration) time.Duration {
	for _, length := range wellKnown {
		if (Timeout{Length: length}).near(gap) {
			return length
		}
	}
	return gap.Round(time.Second)
}

// near: once the length.
func (t Timeout) near(gap time.Duration) bool {
	k, ok := t.multiple(gap)
	return ok && k == 1
}
