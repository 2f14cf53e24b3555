package guardtest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Every statement that the database has executed is told, once, with its arguments by
// their numbers on every database, also when its reply was lost.
func TestObserve(t *testing.T) {
	parsed, err := parse("f.txt", `scenario s
job policy=lookup settle=10s
lose claim request
deliver a acts pauses -> paused
age 70s
lose take_over reply
deliver b acts -> completed acknowledge completion=found
wake a -> lost acknowledge
`)
	if err != nil {
		t.Fatal(err)
	}
	const want = "claim true; age true; take_over true; take_over false; complete true; complete false; late_finish true"
	for _, setup := range setups {
		var mu sync.Mutex
		var told []string
		s := setup(t)
		s.Observe = func(verb string, args []any, matched bool) {
			mu.Lock()
			defer mu.Unlock()
			jobType, key := textOf(args[0]), textOf(args[1])
			if !strings.HasPrefix(jobType, "scenario.") || key != "1" {
				t.Errorf("%s: %v", verb, args)
			}
			if verb == "complete" && textOf(args[3]) == "" {
				t.Errorf("complete: %v", args)
			}
			if verb != "read" && (verb != "claim" || matched) { // some databases read before they claim
				told = append(told, fmt.Sprint(verb, " ", matched))
			}
		}
		d, err := newDatabase(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.close)
		if err := d.run(t.Context(), parsed[0]); err != nil {
			t.Error(err)
		}
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("%s: %s\nwant %s", s.Dialect, got, want)
		}
	}
}
