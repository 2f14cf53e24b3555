package replay

import (
	"slices"
	"strings"
	"testing"

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
