package repeats

import (
	"slices"
	"time"
)

// Deploys are the moments of deploys, and how repeats lie to them.
type Deploys struct {
	At   []int64 // sorted
	Near int     // repeats that lie beside one
	// Share is the part of the repeats that lies beside one, Chance the part that would if
	// repeats knew nothing of deploys.
	Share, Chance float64
}

// Cluster says whether repeats lie beside deploys more often than chance has it.
func (d Deploys) Cluster() bool {
	return d.Near >= deployRepeats && d.Share >= deployLift*d.Chance
}

// beside is the deploy that a repeat lies beside: shortly before the repeat, or
// shortly after the event before it, when it may have ended the worker.
func (d Deploys) beside(before, now int64) (deploy int64, ok bool) {
	if at, ok := d.first(now-deployAfter.Microseconds(), now+deployBefore.Microseconds()); ok {
		return at, true
	}
	return d.first(before-deployBefore.Microseconds(), before+deployKilled.Microseconds())
}

func (d Deploys) first(from, to int64) (int64, bool) {
	i, _ := slices.BinarySearch(d.At, from)
	if i < len(d.At) && d.At[i] <= to {
		return d.At[i], true
	}
	return 0, false
}

// measure counts the repeats beside deploys, and what chance would have.
func (d *Deploys) measure(moments []moment, from, to int64) {
	if len(d.At) == 0 || len(moments) == 0 || to <= from {
		return
	}
	for _, m := range moments {
		if _, ok := d.beside(m.at-m.gap.Microseconds(), m.at); ok {
			d.Near++
		}
	}
	d.Share = float64(d.Near) / float64(len(moments))
	d.Chance = min(1, d.covered(from, to, deployBefore, deployAfter)+d.covered(from, to, deployKilled, deployBefore))
}

// covered is the part of a period that lies so close to a deploy.
func (d Deploys) covered(from, to int64, before, after time.Duration) float64 {
	sum, end := int64(0), from
	for _, at := range d.At {
		a, b := max(end, at-before.Microseconds()), min(to, at+after.Microseconds())
		if a < b {
			sum, end = sum+b-a, b
		}
	}
	return float64(sum) / float64(to-from)
}
