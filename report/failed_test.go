package report

import (
	"slices"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

func resultOf(version, name, verdict string) judge.Result {
	return judge.Result{Version: version, Case: name, Verdict: judge.Verdict{Verdict: verdict}}
}

// leave makes a folder as a replay leaves it; hours say when it began.
func leave(t *testing.T, hours int, first []string, complete bool, results ...judge.Result) Evidence {
	t.Helper()
	e, r := Evidence{Folder: t.TempDir()}, fixed()
	plan := planOf("new/a")
	plan.First = first
	r.GeneratedAt, r.Results, r.Complete = time.Date(2026, 1, 1, hours, 0, 0, 0, time.UTC), results, complete
	noError(t, e.Start(plan))
	noError(t, e.WriteIncomplete(r))
	if complete {
		noError(t, e.WriteReports(r, nil))
	}
	return e
}

func TestFailedLast(t *testing.T) {
	whole := leave(t, 1, nil, true, resultOf("old", "a", judge.Violation), resultOf("new", "a", judge.OK),
		resultOf("old", "b", judge.Unknown), resultOf("new", "b", judge.Violation), resultOf("new", "c", judge.Unknown), resultOf("new", "gone", judge.Violation))
	mended := leave(t, 2, nil, true, resultOf("new", "b", judge.OK))
	interrupted := leave(t, 3, []string{"new/b", "new/c", "old/a"}, false, resultOf("new", "b", judge.OK))
	plan := planOf("old/a", "new/a", "old/b", "new/b", "new/c", "old/d")
	for _, c := range []struct {
		name    string
		folders []Evidence
		want    []string
	}{
		{"nothing there", []Evidence{{Folder: t.TempDir()}}, nil},
		{"the judged version first", []Evidence{whole}, []string{"new/b", "new/c", "old/a", "old/b"}},
		{"a part that was run later", []Evidence{mended, whole}, []string{"new/c", "old/a", "old/b"}},
		{"interrupted before it came to the rest", []Evidence{interrupted}, []string{"new/c", "old/a"}},
	} {
		if got := FailedLast(plan, c.folders...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	some := planOf("old/b", "new/b")
	if got := FailedLast(some, whole); !slices.Equal(got, []string{"new/b", "old/b"}) {
		t.Errorf("of a part: %q", got)
	}
	some.Cases[1].NotApplicable = "no wire"
	if got := FailedLast(some, whole); !slices.Equal(got, []string{"old/b"}) {
		t.Errorf("what does not apply any more: %q", got)
	}
}

func TestFirstSaysWhatAndWhy(t *testing.T) {
	plan := planOf("old/a", "new/a", "new/b", "new/c")
	for want, first := range map[string][]string{
		"": nil,
		"run first, for it failed last time: 1 case: new/b":                        {"new/b"},
		"run first, for it failed last time: 4 cases, such as new/a, new/b, new/c": {"new/a", "new/b", "new/c", "old/a"},
	} {
		if plan.First = first; First(plan) != want {
			t.Errorf("%q", First(plan))
		}
	}
	if alone := (judge.Plan{Cases: plan.Cases[:1], First: []string{"old/a"}}); First(alone) != "" {
		t.Errorf("of one case: %q", First(alone))
	}
}
