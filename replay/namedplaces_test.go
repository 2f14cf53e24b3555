package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
)

// A place that is named and not there is told, and the others are no proof without it.
func TestNamedPlaces(t *testing.T) {
	all := places(Durable, ran("*dat INSERT", "dat SELECT", "*out POST /charges"))
	for _, c := range []struct{ names, kept, none []string }{
		{nil, []string{"1-before", "1-after", "3-after"}, nil},
		{[]string{"3-after", "1-before"}, []string{"1-before", "3-after"}, nil},
		{[]string{"3-after", "999-after"}, []string{"3-after"}, []string{"999-after"}},
		{[]string{"2-after"}, nil, []string{"2-after"}}, // of rung step alone
	} {
		kept, none := named(all, c.names)
		if !slices.Equal(names(kept), c.kept) || !slices.Equal(none, c.none) {
			t.Errorf("%q: kept %q, none %q", c.names, names(kept), none)
		}
	}
}

func TestAPlaceThatIsNotThereIsUnknown(t *testing.T) {
	fine := struck(3, "3-after", "after step 3", true, look(SeenFault, nothing), look(SeenEnd, completed))
	p := plannedFor(job.Lookup, guarded, EveryStep)
	if v := Judge(p, fine); v.Verdict != OK {
		t.Fatalf("the control: %+v", v)
	}
	w := &world{lab: &lab{Request: Request{Rung: Durable}}, history: newHistory()}
	w.tellNone([]string{"999-after"}, places(Durable, ran("*out POST /charges")))
	v := Judge(p, append(w.history.all(), fine...))
	if v.Verdict != Unknown || !strings.Contains(v.Why, "rung durable has no place 999-after, but 1-before, 1-after") {
		t.Errorf("%+v", v)
	}
}
