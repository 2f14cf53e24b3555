package twiceproof

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// node is how a world was first reached: by the fewest steps.
type node struct {
	from  int32
	event uint16 // in exploration.events
}

// exploration visits every world that can be reached, the nearest first.
type exploration struct {
	*model
	number map[world]int32
	nodes  []node
	events []event
	spoken map[event]uint16
	ahead  []world
	// back are the steps without a fault and without a person, to tell from where
	// the operation still ends.
	back   []edge
	most   int
	broken *breach
}

type edge struct{ from, to int32 }

// breach is an invariant that does not hold, and the shortest way to it.
type breach struct {
	invariant string
	way       []string
}

func (b *breach) String() string {
	return fmt.Sprintf("%s: broken after %d steps:\n  %s", b.invariant, len(b.way), strings.Join(b.way, "\n  "))
}

// explore ends at the first breach, or when there is nothing new, or, which it
// tells, at the most worlds that it may visit.
func explore(m *model, most int) (x *exploration, complete bool) {
	x = &exploration{model: m, number: map[world]int32{}, spoken: map[event]uint16{}, most: most}
	x.visit(-1, event{}, m.start())
	for at := int32(0); int(at) < len(x.nodes); at++ {
		w := x.ahead[at]
		m.next(w, func(e event, after world) { x.step(at, &w, e, after) })
		if x.broken != nil || len(x.nodes) > most {
			return x, false
		}
	}
	x.findStuck()
	return x, true
}

func (x *exploration) visit(from int32, e event, w world) int32 {
	at, known := x.number[w]
	if !known {
		at = int32(len(x.nodes))
		x.number[w] = at
		spoken, before := x.spoken[e]
		if !before {
			spoken = uint16(len(x.events))
			x.events, x.spoken[e] = append(x.events, e), spoken
		}
		x.nodes = append(x.nodes, node{from, spoken})
		x.ahead = append(x.ahead, w)
	}
	return at
}

func (x *exploration) step(from int32, before *world, e event, after world) {
	if x.broken != nil {
		return
	}
	for _, i := range invariants {
		if i.broken(x.model, e, before, &after) {
			x.broken = &breach{i.name, x.way(from, e, after)}
			return
		}
	}
	fair := after.faults == before.faults && after.persons == before.persons
	x.canonical(&after)
	if to := x.visit(from, e, after); fair && to != from {
		x.back = append(x.back, edge{from, to})
	}
}

// findStuck: from everywhere, without a further fault and without a person, a
// completed or held operation must be within reach.
func (x *exploration) findStuck() {
	good := make([]bool, len(x.nodes))
	var todo []int32
	mark := func(at int32) {
		if !good[at] {
			good[at] = true
			todo = append(todo, at)
		}
	}
	for at, w := range x.ahead {
		if w.rec.state == isCompleted || w.rec.state == isHeld {
			mark(int32(at))
		}
	}
	into := x.into()
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, from := range into(at) {
			mark(from)
		}
	}
	for at := range good {
		if !good[at] {
			x.broken = &breach{neverEnds, x.way(int32(at), event{what: "from here nothing ends it"}, x.ahead[at])}
			return
		}
	}
}

const neverEnds = "every operation can still end completed or held"

// into tells from where one step leads to a world.
func (x *exploration) into() func(int32) []int32 {
	first := make([]int32, len(x.nodes)+1)
	for _, e := range x.back {
		first[e.to+1]++
	}
	for i := range x.nodes {
		first[i+1] += first[i]
	}
	from := make([]int32, len(x.back))
	next := append([]int32(nil), first...)
	for _, e := range x.back {
		from[next[e.to]] = e.from
		next[e.to]++
	}
	return func(at int32) []int32 { return from[first[at]:first[at+1]] }
}

// way is the shortest one, in words, each with the record that it leaves.
func (x *exploration) way(from int32, last event, w world) []string {
	way := []string{inWords(last, w)}
	for at := from; x.nodes[at].from >= 0; at = x.nodes[at].from {
		way = append([]string{inWords(x.events[x.nodes[at].event], x.ahead[at])}, way...)
	}
	return way
}

func inWords(e event, w world) string {
	who, what := "", e.what+e.then
	switch {
	case e.who > 0:
		who = fmt.Sprintf("worker %d ", e.who)
	case e.who < 0:
		who = fmt.Sprintf("person %d ", -e.who)
	}
	r := w.rec
	if r.state == noRecord {
		return who + what
	}
	return fmt.Sprintf("%-68s %s acts=%d vanished=%d stale=%d effects=%d", who+what, stateNames[r.state], r.acts, r.vanished, r.stale(), w.effects)
}

// everywhere is explored in each run, to the end; further only with TWICEPROOF_FULL=1,
// and of the larger ones only the nearest worlds.
var (
	everywhere = []scope{
		{2, 0, 2, 1, false}, {3, 0, 0, 1, false}, {2, 1, 0, 1, false}, {2, 0, 0, 1, true}, {1, 0, 2, 1, true}, {1, 1, 1, 1, true}, {2, 0, 1, 2, false},
	}
	further = []scope{
		{2, 1, 1, 1, false}, {2, 0, 3, 1, false}, {3, 0, 1, 1, false}, {2, 2, 1, 1, false}, {2, 0, 1, 1, true}, {2, 0, 2, 1, true}, {2, 1, 1, 1, true}, {2, 0, 1, 2, true},
	}
)

const mostWorlds = 4_000_000

// Every world that a few workers, faults, persons and a sweep can lead to, under each
// policy. The controls are the mutations.
func TestExplore(t *testing.T) {
	scopes := everywhere
	if full(0, 1) == 1 {
		scopes = append(slices.Clone(everywhere), further...)
	}
	var all atomic.Int64
	t.Run("policies", func(t *testing.T) {
		for _, j := range everyPolicy() {
			t.Run(string(j.Stale.Policy), func(t *testing.T) {
				t.Parallel()
				all.Add(int64(exploreAll(t, j.Stale.Policy, scopes)))
			})
		}
	})
	t.Logf("%d worlds", all.Load())
	if all.Load() < 1_000_000 {
		t.Error("too few to mean much")
	}
}

func exploreAll(t *testing.T, p job.Policy, scopes []scope) (worlds int) {
	t.Helper()
	var most effects
	for _, s := range scopes {
		x, complete := explore(newModel(p, s), mostWorlds)
		if x.broken != nil {
			t.Errorf("%+v: %v", s, x.broken)
		} else if !complete && !slices.Contains(further, s) {
			t.Errorf("%+v: more than %d worlds", s, mostWorlds)
		}
		if slices.Contains(everywhere, s) {
			most.see(x.ahead)
		}
		worlds += len(x.nodes)
		t.Logf("%+v: %d worlds, complete %v", s, len(x.nodes), complete)
	}
	t.Logf("%-16s %8d worlds; effects at the most: %d, after a pause between check and call %d, after a person ran it again %d",
		p, worlds, most.plain, most.paused, most.ranAgain)
	if want := tight[p]; most != want {
		t.Errorf("effects at the most: %+v, want %+v: the bounds are no longer tight", most, want)
	}
	return worlds
}

// effects are the most that were seen in any world.
type effects struct{ plain, paused, ranAgain int8 }

func (e *effects) see(worlds []world) {
	for _, w := range worlds {
		switch {
		case w.runAgains > 0:
			e.ranAgain = max(e.ranAgain, w.effects)
		case w.slips > 0:
			e.paused = max(e.paused, w.effects)
		default:
			e.plain = max(e.plain, w.effects)
		}
	}
}

// tight is what the guarantee permits, and all of it is reached: under lookup with
// one more for each of two pauses.
var tight = map[job.Policy]effects{
	job.Hold:            {plain: 1, paused: 1, ranAgain: 2},
	job.Lookup:          {plain: 1, paused: 3, ranAgain: 2},
	job.Resend:          {plain: 1, paused: 2, ranAgain: 2},
	job.AcceptDuplicate: {plain: 2, paused: 2, ranAgain: 4},
	job.AcceptMiss:      {plain: 1, paused: 1, ranAgain: 1},
}
