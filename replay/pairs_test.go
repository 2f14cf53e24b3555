package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/wire"
)

// somePairs are those of a run of some steps, each of which a redelivery has, too.
func somePairs(steps []recordedStep) (firsts, all []place) {
	firsts = durablePlaces(steps)
	for _, first := range firsts {
		for _, second := range firsts {
			all = append(all, first.and(second))
		}
	}
	return firsts, all
}

func TestFewPairsAreAllStruck(t *testing.T) {
	_, all := somePairs(ran("*out POST /charges"))
	want := []string{"1-before+1-before", "1-before+1-after", "1-after+1-before", "1-after+1-after"}
	if got := names(chosenPairs(all, nil)); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if text := all[1].String(); text != "before step 1 (outside POST /charges), then after step 1 (outside POST /charges) of the redelivery" {
		t.Error(text)
	}
	if text := pairsText(2, 4, 4); strings.Contains(text, "the same ones") {
		t.Error(text)
	}
}

// A sample is the same each time, has no pair twice, is in order, and not all of one end.
func TestPairsAreASample(t *testing.T) {
	_, all := somePairs(ran("*dat a", "*dat b", "*dat c", "*dat d", "*dat e", "*dat f", "*dat g", "*dat h"))
	sample := names(chosenPairs(all, nil))
	if len(sample) != mostPairs || !slices.Equal(sample, names(chosenPairs(all, nil))) || !slices.IsSortedFunc(sample, func(a, b string) int { return int(a[0]) - int(b[0]) }) {
		t.Fatalf("%v", sample)
	}
	firsts := map[byte]bool{}
	for _, name := range sample {
		firsts[name[0]] = true
	}
	if len(slices.Compact(sample)) != mostPairs || len(firsts) < 5 {
		t.Errorf("%v", sample)
	}
	if text := pairsText(9, 81, 20); !strings.HasSuffix(text, "81 places for a second one, of which 20 are struck, the same ones each time") {
		t.Error(text)
	}
}

// A pair that is named needs the run that tells what its redelivery says.
func TestNamedPairs(t *testing.T) {
	firsts, all := somePairs(ran("*out POST /charges", "*dat COMMIT"))
	for _, c := range []struct{ named, firsts, pairs []string }{
		{[]string{"2-after+1-before"}, []string{"2-after"}, []string{"2-after+1-before"}},
		{[]string{"1-after"}, []string{"1-after"}, nil},
		{[]string{"3-after+1-before"}, nil, nil},
	} {
		if first, pairs := names(firstsOf(firsts, c.named)), names(chosenPairs(all, c.named)); !slices.Equal(first, c.firsts) || !slices.Equal(pairs, c.pairs) {
			t.Errorf("%v: %v, %v", c.named, first, pairs)
		}
	}
	for name, is := range map[string]bool{"every_step/3-after+write-2-after": true, "every_step/3-after": true, "every_step/3-after+2": false} {
		if placeName.MatchString(name) != is {
			t.Errorf("%s: it is a place: %t", name, !is)
		}
	}
}

// A second kill whose place does not come proves nothing of the pair; what came of the first
// one is a finding all the same.
func TestASecondKillThatDoesNotFireIsUnknown(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, EveryStep)
	again := Event{Event: EventFault, Fired: true, Detail: secondKill}
	missed := Event{Event: EventFault, What: "1-after+2-after", Detail: "the pair was not reached"}
	twice := look(SeenEnd, with(completed, func(s *Seen) { s.Effects = 2 }))
	for _, c := range []struct {
		name    string
		events  []Event
		verdict string
	}{
		{"it fires", []Event{look(SeenFault, acted), again, look(SeenEnd, completed)}, OK},
		{"it does not", []Event{look(SeenFault, acted), look(SeenEnd, completed), missed}, Unknown},
		{"it does not, and there is a finding", []Event{look(SeenFault, acted), twice, missed}, Violation},
	} {
		r := NewResult(p, struck(3, "1-after+2-after", "after step 1", true, c.events...))
		if r.Verdict.Verdict != c.verdict || len(r.Facts) != 1 || strings.Contains(r.Facts[0], "not reached") != (c.verdict != OK) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// What a worker says while it starts is no place of a redelivery: each of its steps by its
// number, for a job may say the same.
func TestNoiseOfAStart(t *testing.T) {
	n := noise{boot: []wire.Step{{Peer: "database", Text: "COMMIT", Nth: 1}}, idle: map[identity]bool{{"queue", "PING"}: true}}
	steps := ran("*dat COMMIT", "que PING", "*dat COMMIT", "*out POST /charges")
	var got []string
	for _, s := range n.without(steps) {
		got = append(got, s.String())
	}
	if strings.Join(got, ", ") != "database COMMIT #2, outside POST /charges #1" {
		t.Error(got)
	}
}

// The first place of pairs is struck alone twice. What could not be told of the first run is not
// made good by the second one; a place that was missed, and comes the second time, is.
func TestAloneTwice(t *testing.T) {
	p := plannedFor(job.Lookup, guarded, EveryStep)
	fine := struck(4, "1-after", "after step 1", true, look(SeenFault, acted), look(SeenEnd, completed))
	for _, c := range []struct {
		name    string
		first   []Event
		verdict string
		runs    int
	}{
		{"both are ok", struck(3, "1-after", "after step 1", true, look(SeenFault, acted), look(SeenEnd, completed)), OK, 1},
		{"the first one's worker was busy", struck(3, "1-after", "after step 1", true, Event{Event: EventTimeout, Detail: "a worker was still busy after 20s"}), Unknown, 2},
		{"the first one was missed", struck(3, "1-after", "after step 1 was not reached; tried once more", false, look(SeenEnd, completed)), OK, 1},
	} {
		if r := NewResult(p, append(c.first, fine...)); r.Verdict.Verdict != c.verdict || r.Runs != c.runs {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
