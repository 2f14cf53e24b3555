package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// A place that is named and not there is told, and the others are no proof without it.
func TestNamedPlaces(t *testing.T) {
	all := places(judge.Durable, ran("*dat INSERT", "dat SELECT", "*out POST /charges"))
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

// It is a run whose fault did not fire.
func TestAPlaceThatIsNotThereIsTold(t *testing.T) {
	w := &world{lab: &lab{Request: Request{Rung: judge.Durable}}, history: newHistory()}
	w.tellNone([]string{"999-after"}, places(judge.Durable, ran("*out POST /charges")))
	e := w.history.all()[0]
	if e.Event != judge.EventFault || e.Fired || e.Run != 1 || e.What != "999-after" || !strings.Contains(e.Detail, "rung durable has no place 999-after, but 1-before, 1-after") {
		t.Errorf("%+v", e)
	}
}
