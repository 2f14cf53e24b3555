package repeats

import (
	"slices"
	"time"
)

// Joined holds two sources beside each other, by reference: the first is usually the
// application's own table, the second what the outside service has.
type Joined struct {
	OnlyFirst, OnlySecond int // references
	// Of those, that lie outside the time that both cover: they say nothing.
	OutsideFirst, OutsideSecond int
	Both                        int // once in each
	RepeatedFirst               int // more often in the first, once in the second
	RepeatedSecond              int // once in the first, more often in the second
	RepeatedBoth                int

	first, last [2]int64
	seen        [2]bool
	only        [2][]int64
	apart       []int64
}

const (
	onlyMost  = 1 << 20
	apartMost = 1 << 14
)

// Add sees one reference's events in both sources, each by time.
func (j *Joined) Add(first, second []Event) {
	for s, events := range [][]Event{first, second} {
		if len(events) > 0 {
			j.period(s, events[0].At, events[len(events)-1].At)
		}
	}
	switch {
	case len(second) == 0:
		j.OnlyFirst++
		j.keepOnly(0, first)
	case len(first) == 0:
		j.OnlySecond++
		j.keepOnly(1, second)
	case len(first) == 1 && len(second) == 1:
		j.Both++
		if len(j.apart) < apartMost {
			j.apart = append(j.apart, second[0].At-first[0].At)
		}
	case len(second) == 1:
		j.RepeatedFirst++
	case len(first) == 1:
		j.RepeatedSecond++
	default:
		j.RepeatedBoth++
	}
}

func (j *Joined) period(s int, from, to int64) {
	if !j.seen[s] {
		j.first[s], j.last[s], j.seen[s] = from, to, true
	}
	j.first[s], j.last[s] = min(j.first[s], from), max(j.last[s], to)
}

func (j *Joined) keepOnly(s int, events []Event) {
	if len(j.only[s]) < onlyMost {
		j.only[s] = append(j.only[s], events[0].At)
	}
}

// Conclude counts what lies outside the time that both sources cover.
func (j *Joined) Conclude() {
	from, to := max(j.first[0], j.first[1]), min(j.last[0], j.last[1])
	outside := func(list []int64) (n int) {
		for _, at := range list {
			if at < from || at > to {
				n++
			}
		}
		return n
	}
	j.OutsideFirst, j.OutsideSecond = outside(j.only[0]), outside(j.only[1])
	j.only = [2][]int64{}
}

// Apart is how much later the second source has what both have, in the middle of all;
// zone says whether that looks like another time zone: whole quarters of an hour, alike
// for nine of ten.
func (j *Joined) Apart() (middle time.Duration, zone bool) {
	if len(j.apart) == 0 {
		return 0, false
	}
	slices.Sort(j.apart)
	middle = time.Duration(j.apart[len(j.apart)/2]) * time.Microsecond
	quarter := middle.Round(15 * time.Minute)
	near := 0
	for _, at := range j.apart {
		if d := time.Duration(at)*time.Microsecond - quarter; max(d, -d) <= 2*time.Minute {
			near++
		}
	}
	zone = quarter != 0 && max(quarter, -quarter) <= mostZoneHours*time.Hour && near >= 3 && near*10 >= len(j.apart)*9
	return middle, zone
}
