package twiceproof

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/twiceproof/twiceproof/dialect"
)

const (
	// propertyTick is longer than a sequence takes, so that what passes meanwhile
	// is less than a tick.
	propertyTick = time.Hour
	vTick        = verbName(100)
	vRead        = verbName(101)
	asRead       = int8(-1) // a parameter as the record has it
)

// drawVerb draws one statement of a sequence: at random, but often what the record has.
func drawVerb(t *rapid.T) verb {
	few := func(label string, from, to int8) int8 { return rapid.Int8Range(from, to).Draw(t, label) }
	often := func(label string, from, to int8) int8 {
		if rapid.SampledFrom([]bool{true, true, true, true, false}).Draw(t, label+" as read") {
			return asRead
		}
		return few(label, from, to)
	}
	v := verb{
		do: rapid.SampledFrom([]verbName{
			vClaim, vTakeOver, vTakeOver, vHold, vHold, vAssume, vActAgain, vComplete, vRelease, vGiveUp, vRenew,
			vLateFinish, vRequeue, vRequeue, vRepeat, vResolve, vResolve, vRunAgain, vRunAgain, vTick, vTick, vTick, vTick, vRead,
		}).Draw(t, "verb"),
		token: often("token", 1, 3), fresh: few("fresh", 1, 9), acts: often("acts", 0, 3), requeues: often("requeues", 0, 2),
		extra: few("extra", 0, 1), pause: few("pause", 0, 2), lookups: few("lookups", 0, 1), hold: often("hold", 0, 2),
		policy:     uint8(few("policy", 1, int8(len(policyNames)-1))),
		reason:     uint8(few("reason", 1, int8(len(reasonNames)-1))),
		completion: number(completionNames, rapid.SampledFrom([]string{completionActed, completionFound}).Draw(t, "completion")),
		by:         few("by", 1, 2), made: few("made", 1, 2), message: few("message", 0, 2), result: few("result", 0, 2),
		lease: few("ticks", 1, 3), push: rapid.Bool().Draw(t, "push"),
	}
	return v
}

// drawSequence begins with nothing, a claim, a stale one, a hold or a completion.
var drawSequence = rapid.Custom(func(t *rapid.T) []verb {
	all := rapid.SliceOfN(rapid.Custom(drawVerb), 3, 16).Draw(t, "verbs")
	begin := rapid.SampledFrom([][]verbName{
		{}, {vClaim}, {vClaim}, {vClaim, vTick}, {vClaim, vTick}, {vClaim, vTick, vHold}, {vClaim, vTick, vHold}, {vClaim, vComplete},
	}).Draw(t, "begin")
	for i, do := range begin {
		all[i].do, all[i].token, all[i].acts = do, asRead, asRead
		if do == vTick {
			all[i].lease = 3
		}
	}
	return all
})

// Random sequences of statements with random parameters, on the real databases and
// on apply: they match the same, and leave the same in every column.
func TestApplyIsWhatTheStatementsDo(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		t.Parallel()
		seen := map[string]int{}
		check := func(t *rapid.T) {
			w := newTwin(r)
			w.seen = seen
			if differs := w.run(drawSequence.Draw(t, "sequence")); differs != "" {
				t.Fatal(differs)
			}
		}
		for round := range 60 {
			rapid.Check(t, check) // a hundred sequences
			if round+1 >= full(3, 60) && bothWays(seen) == "" {
				return
			}
		}
		t.Errorf("in vain: %s", bothWays(seen))
	})
}

// bothWays tells which verbs have not yet been seen to match and not to match.
func bothWays(seen map[string]int) (missing string) {
	for do := vClaim; do <= vRunAgain; do++ {
		if is, isNot := seen[fmt.Sprint(do, true)], seen[fmt.Sprint(do, false)]; min(is, isNot) == 0 {
			missing += fmt.Sprintf("verb %d matched %d times and %d times not; ", do, is, isNot)
		}
	}
	return missing
}

// The control: each of these statements is a hunk from the right one, and found.
func TestApplyIsNotWhatWrongStatementsDo(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		t.Parallel()
		for name, spoil := range map[string]func(*dialect.Statements){
			"complete without its token":          func(s *dialect.Statements) { cut(&s.Complete, " AND claim_token = "+param(r, 3)) },
			"give up a second time":               func(s *dialect.Statements) { cut(&s.GiveUp, " AND NOT given_up") },
			"requeue without its count":           func(s *dialect.Statements) { swap(&s.Requeue, "requeues    = requeues + 1", "requeues    = requeues") },
			"take over counts nobody as vanished": func(s *dialect.Statements) { swap(&s.TakeOver, "vanished    = vanished + ", "vanished    = 0 * ") },
		} {
			found := false
			for seed := 0; seed < 500 && !found; seed++ {
				w := newTwin(r)
				spoil(&w.records.sql)
				w.rebind()
				found = w.run(drawSequence.Example(seed)) != ""
			}
			if !found {
				t.Errorf("%s: not found", name)
			}
		}
	})
}

func param(r *rig, n int) string {
	mark, cast := "?", ""
	if r.d.dialect == Postgres {
		mark, cast = "$", "::uuid"
	}
	return mark + strconv.Itoa(n) + cast
}

func cut(text *string, part string) { swap(text, part, "") }

func swap(text *string, part, other string) {
	if !strings.Contains(*text, part) {
		panic("a control no longer fits its statement: " + part)
	}
	*text = strings.Replace(*text, part, other, 1)
}
