package scan

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/repeats"
)

// made is a source that is built for one class, among 500 references that come once.
type made struct {
	*rand.Rand
	rows []string
	n    int
	set  repeats.Settings
}

func (m *made) when() float64 { return 1.7726e9 + 9*86400*m.Float64() }

func (m *made) event(reference string, at float64, message, amount string) {
	m.rows = append(m.rows, fmt.Sprintf("%s,%.6f,%s,%s", reference, at, message, amount))
}

// repeat makes a reference whose events are this far apart, in seconds. Messages: "m" is
// one message, "m1 m2" each its own.
func (m *made) repeat(at float64, other bool, gaps ...float64) {
	m.n++
	reference := fmt.Sprint("ord-", m.n)
	message, k := fmt.Sprint("m", m.n), 0
	m.event(reference, at, message, "5")
	for _, gap := range gaps {
		if at, k = at+gap, k+1; other {
			message = fmt.Sprint("m", m.n, "-", k)
		}
		m.event(reference, at, message, "5")
	}
}

func (m *made) times(n int, other bool, gaps func() []float64) {
	for range n {
		m.repeat(m.when(), other, gaps()...)
	}
}

func (m *made) within(from, to float64) float64 { return from + (to-from)*m.Float64() }

// classes are built by the formula of each cause, and what a run takes.
var classes = map[repeats.Class]func(m *made){
	repeats.Race:              func(m *made) { m.times(25, false, func() []float64 { return []float64{m.within(.003, 1.5)} }) },
	repeats.DuplicateProducer: func(m *made) { m.times(25, true, func() []float64 { return []float64{m.within(.003, 1.5)} }) },
	repeats.Retry: func(m *made) {
		m.set.Queue = "sqs"
		m.times(25, false, func() []float64 { return []float64{m.within(3, 800)} })
	},
	repeats.VisibilityTimeout: func(m *made) { // of 7 minutes, and its multiples
		m.set.Queue = "sqs"
		m.times(25, false, func() []float64 { return []float64{float64(1+m.IntN(3))*420 + m.within(.05, 8)} })
	},
	repeats.SidekiqRetry: func(m *made) {
		m.set.Queue = "sidekiq"
		m.times(15, false, func() (gaps []float64) {
			for count := range 1 + m.IntN(8) {
				gaps = append(gaps, math.Pow(float64(count), 4)+15+m.within(0, 10)*float64(count+1)+m.within(.2, 5))
			}
			return gaps
		})
	},
	repeats.CeleryRetry: func(m *made) { // a backoff without jitter, the queue not named
		m.times(15, false, func() (gaps []float64) {
			for n := range 7 {
				gaps = append(gaps, 4*math.Pow(2, float64(n))+m.within(.1, .4))
			}
			return gaps
		})
	},
	repeats.ReEnqueue: func(m *made) { m.times(25, true, func() []float64 { return []float64{m.within(10, 400_000)} }) },
	repeats.Redelivery: func(m *made) {
		m.times(25, false, func() []float64 { return []float64{m.within(7300, 250_000)} })
		m.set.Queue = "sqs"
	},
	repeats.Deploy: func(m *made) {
		for range 12 {
			deploy := m.when()
			m.set.Deploys = append(m.set.Deploys, int64(deploy*1e6))
			for range 3 {
				begun := m.within(0, 40)
				m.repeat(deploy-begun, false, begun+m.within(20, 280))
			}
		}
	},
	repeats.RestartRecovery: func(m *made) {
		moment := m.when()
		for range 15 {
			begun := m.within(20, 7000)
			m.repeat(moment-begun, false, begun+m.within(0, 8))
		}
	},
	repeats.BatchAgain: func(m *made) {
		moment := m.when()
		for i := range 20 {
			m.repeat(moment+float64(i)*.3, false, 1300)
		}
	},
	repeats.MaybeLegitimate: func(m *made) {
		const day = 86400
		m.times(10, true, func() []float64 { return []float64{31 * day, 30 * day} }) // from March on
		m.times(10, true, func() []float64 { return []float64{day, day, day} })
		for i := range 10 {
			reference, at := fmt.Sprint("other-", i), m.when()
			m.event(reference, at, fmt.Sprint(i, "a"), "5")
			m.event(reference, at+m.within(10, 90_000), fmt.Sprint(i, "b"), "7")
		}
	},
}

// Every class is found on what is built for it, and there alone: what is built for
// another one is the control.
func TestEachClassOnItsOwnData(t *testing.T) {
	for _, class := range repeats.Classes {
		t.Run(string(class), func(t *testing.T) {
			build := classes[class]
			if build == nil {
				t.Fatal("nothing is built for it")
			}
			m := &made{Rand: rand.New(rand.NewPCG(7, 7))}
			for i := range 500 {
				m.event(fmt.Sprint("once-", i), m.when(), fmt.Sprint("once-", i), "5")
			}
			build(m)
			r := scanned(t, Options{Settings: m.set}, "ref,at,id,amount\n"+strings.Join(m.rows, "\n")+"\n")
			of := r.Sources[0].Classes
			if of[class] == nil || len(of) != 1 {
				t.Errorf("%q, want %s alone", slices.Collect(maps.Keys(of)), class)
			}
			if r.Repeats() == 0 || r.Events != len(m.rows) {
				t.Errorf("%d repeats in %d events of %d", r.Repeats(), r.Events, len(m.rows))
			}
		})
	}
}
