package repeats

import "time"

// bins are the histogram's: each from its length on to the next one's, on a scale that
// is about logarithmic and has the lengths that people think in.
var bins = []time.Duration{
	0, time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 2 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
	2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour,
	365 * 24 * time.Hour,
}

// Histogram counts gaps by length.
type Histogram struct{ counts [20]int }

// Add counts one gap.
func (h *Histogram) Add(gap time.Duration) {
	i := len(bins) - 1
	for i > 0 && gap < bins[i] {
		i--
	}
	h.counts[i]++
}

// Bin is one bar.
type Bin struct {
	From, To time.Duration // To is 0 in the last one
	Count    int
}

// Bins are the bars from the first that is not empty to the last, those between too.
func (h *Histogram) Bins() []Bin {
	first, last := -1, -1
	for i := range bins {
		if h.counts[i] > 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return nil
	}
	var list []Bin
	for i := first; i <= last; i++ {
		b := Bin{From: bins[i], Count: h.counts[i]}
		if i+1 < len(bins) {
			b.To = bins[i+1]
		}
		list = append(list, b)
	}
	return list
}
