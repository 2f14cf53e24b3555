package controls_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// sample is what runs in every test: each kind once, and, by its telling case alone, one
// control each in Ruby and Python and the one of two kills. The rest runs with TWICEPROOF_FULL=1.
var (
	sample        = []string{"look_up_ignored", "live_claim_acknowledged", "stale_claim_run_again", "held_not_acknowledged"}
	sampleTelling = []string{"ruby_live_claim_dropped", "python_not_applied_too_wide", "looks_up_once"}
)

const races = "concurrent"

func TestControls(t *testing.T) {
	for _, c := range controls(t) {
		t.Run(c.name, func(t *testing.T) {
			c := sampled(t, c)
			if yes, printed := loads(t, c.setup, c.change.file); !yes {
				t.Fatalf("the worker does not read %s, so it shows nothing of this control; it printed:\n%s", c.change.file, printed)
			}
			expect(t, c, run(t, trial{setup: c.setup, only: c.only}, c.change))
			if c.waits != "" {
				t.Skip("waits: " + c.waits)
			}
		})
	}
}

// TestEachHunkFits: a control whose file has changed since would be run by nobody but make
// test-full.
func TestEachHunkFits(t *testing.T) {
	for _, c := range controls(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, change := range []change{c.change, c.both} {
				if change.file != "" {
					change.applied(t)
				}
			}
		})
	}
}

// TestControlsAgain: what a control is caught by catches it each time.
func TestControlsAgain(t *testing.T) {
	if !full() {
		t.Skip("TWICEPROOF_FULL=1 runs each control's telling case 20 times")
	}
	for _, c := range controls(t) {
		if c = c.narrowed(); c.waits == "" {
			t.Run(c.name, func(t *testing.T) {
				expect(t, c, run(t, trial{setup: c.setup, only: c.only, times: 20}, c.change))
			})
		}
	}
}

// TestEveryRaceIsCaught: of the workers that look and then insert, two act in each of the
// runs, and not where the timing happens to fall so: they meet at the act.
func TestEveryRaceIsCaught(t *testing.T) {
	for _, c := range controls(t) {
		if !strings.HasSuffix(c.name, "checks_then_inserts") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if !full() && !isBuilt(c.replayFile(t, "..")) {
				t.Skip("TWICEPROOF_FULL=1 runs it")
			}
			r := run(t, trial{setup: c.setup, only: races}, c.change)[0]
			if r.EffectsMin != 2 || r.EffectsMax != 2 || r.Overlapped != r.Runs || r.Runs < 100 {
				t.Errorf("%d to %d effects in %d runs, of which %d overlapped", r.EffectsMin, r.EffectsMax, r.Runs, r.Overlapped)
			}
		})
	}
}

// TestOneKillDoesNotShowAPair: what is caught by two kills is right under each one of them.
func TestOneKillDoesNotShowAPair(t *testing.T) {
	if !full() {
		t.Skip("TWICEPROOF_FULL=1 runs it")
	}
	for _, c := range controls(t) {
		if c.rung != judge.Pair {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.rung = judge.Step
			if r := run(t, trial{setup: c.setup, only: judge.EveryStep + "/"}, c.change)[0]; seen(r) != judge.OK || r.Runs < 10 {
				t.Errorf("%s at %d places: %s", seen(r), r.Runs, r.Why)
			}
		})
	}
}

// TestTwins: what a control shares with its twin passes every case.
func TestTwins(t *testing.T) {
	twins := map[trial]bool{{}: true, {setup: setup{policy: "hold"}}: true}
	for _, c := range controls(t) {
		if full() || inSample(c) {
			c.patience = 0
			if !full() && slices.Contains(sampleTelling, c.name) {
				c = c.narrowed()
			}
			twins[trial{setup: c.setup, only: c.only}] = true
		}
	}
	for twin := range twins {
		t.Run(twin.name(), func(t *testing.T) {
			expect(t, control{only: twin.only}, run(t, twin))
		})
	}
}

func inSample(c control) bool {
	return slices.Contains(sample, c.name) || slices.Contains(sampleTelling, c.name)
}

// sampled skips what is not in the sample, and narrows what is there with one case.
func sampled(t *testing.T, c control) control {
	t.Helper()
	switch {
	case full() || slices.Contains(sample, c.name):
		return c
	case slices.Contains(sampleTelling, c.name):
		return c.narrowed()
	}
	t.Skip("not in the sample; TWICEPROOF_FULL=1 runs it")
	return c
}

func controls(t *testing.T) []control {
	t.Helper()
	paths, err := filepath.Glob("*.txt")
	if err != nil || len(paths) < len(sample) {
		t.Fatalf("found %d controls: %v", len(paths), err)
	}
	all := make([]control, len(paths))
	for i, path := range paths {
		if all[i], err = readControl(path); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return all
}

func full() bool { return os.Getenv("TWICEPROOF_FULL") != "" }

// expect holds the verdicts against the kinds that the control's cases are to find;
// every other case that applies is to be ok.
func expect(t *testing.T, c control, results []judge.Result) {
	t.Helper()
	for _, r := range results {
		seen, want := seen(r), c.finds[r.Label()]
		if want == "" || c.may[r.Label()] && seen == judge.OK {
			want = judge.OK
		}
		if r.Case == judge.EveryStep && want == judge.OK && c.findsKills() {
			want = seen // it is killed there, too; which kind it finds first is its own
		}
		if seen != want && (seen != judge.NotApplicable || c.finds[r.Label()] != "") {
			t.Errorf("%s: %s, want %s: %s\n%s", r.Label(), seen, want, r.Why, strings.Join(r.Facts, "\n"))
		}
	}
	for name := range c.finds {
		if !slices.ContainsFunc(results, func(r judge.Result) bool { return r.Label() == name }) {
			t.Errorf("%s was not judged", name)
		}
	}
}

// seen is the kind of a violation, or the verdict.
func seen(r judge.Result) string { return cmp.Or(r.Kind, r.Verdict.Verdict) }

// findsKills: every_step kills where these cases do, among others.
func (c control) findsKills() bool {
	for _, name := range []string{"killed_after_claim", "killed_after_effect", "killed_after_completion", "killed_after_completion/unheard"} {
		if c.finds[name] != "" {
			return true
		}
	}
	return false
}
