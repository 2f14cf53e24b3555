package replay

import (
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/outside"
)

// A look-up of what was made without a reference finds nothing, whatever was made.
func TestALookUpInVain(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	call := func(reference string, after time.Duration) outside.Call {
		return outside.Call{Reference: reference, At: at.Add(after)}
	}
	empty := outside.LookUp{At: at, Reference: "r1"}
	for _, c := range []struct {
		name  string
		asked outside.LookUp
		calls []outside.Call
		want  bool
	}{
		{"nothing was made", empty, nil, false},
		{"made without a reference", empty, []outside.Call{call("", -1)}, true},
		{"made afterwards", empty, []outside.Call{call("", 1)}, false},
		{"made with another one", empty, []outside.Call{call("", -2), call("r2", -1)}, false},
		{"found", outside.LookUp{At: at, Reference: "r1", Effect: "eff_1"}, []outside.Call{call("", -1)}, false},
		{"a fault of the case's", outside.LookUp{At: at, Reference: "r1", Fault: outside.LookUpFail}, []outside.Call{call("", -1)}, false},
	} {
		if got := inVain(c.asked, c.calls); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
