package note

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

func since(in Input, s Since) Input {
	in.Since = s
	return in
}

// What somebody has changed in the evidence by hand is called shown nowhere, and the
// case is named.
func TestEditedEvidenceIsNotShown(t *testing.T) {
	sound := shown(charge(t))
	repeated := sound.change("killed_after_effect", func(r *judge.Result) {
		r.Verdict = judge.Verdict{Verdict: judge.Violation, Kind: judge.Duplicate, Why: "2 effects, permitted 1"}
		r.EffectsMax = 2
	})
	gone := sound
	gone.Again = changed(sound.Again, "new", "shutdown", func(r *judge.Result) {
		r.Verdict = judge.Verdict{Verdict: judge.Unknown, Why: "it was planned, and there is no history of it"}
	})
	invented := sound
	invented.Again = invented.Again[:len(invented.Again)-1]
	left := sound.without(func(r judge.Result) bool { return r.Version != "old" || r.Case != "sequential" })
	left.Again = sound.Again
	altered := sound
	altered.Altered = []string{"histories/new-sequential.jsonl"}
	ok := func(r *judge.Result) { r.Verdict = judge.Verdict{Verdict: judge.OK} }
	notShown(t, map[string]doubtful{
		"a verdict that was changed to ok": {repeated.edit("killed_after_effect", ok), No, "new/killed_after_effect: result.json says ok, and its history, judged again, duplicate: 2 effects, permitted 1"},
		"a count that was changed":         {sound.edit("sequential", func(r *judge.Result) { r.Records = 2 }), No, "new/sequential: result.json has other numbers than its history"},
		"races that were not":              {sound.edit("concurrent", func(r *judge.Result) { r.Overlapped = 1000 }), No, "new/concurrent: result.json has other numbers"},
		"a history that is gone":           {gone, Unknown, "new/shutdown: result.json says ok, which its history does not show: it was planned, and there is no history of it"},
		"a result that was invented":       {invented, No, "result.json has new/" + sound.Again[len(sound.Again)-1].Label() + ", and plan.json has not"},
		"a result that was left out":       {left, Unknown, "plan.json has old/sequential, and result.json has not"},
		"files of another replay":          {altered, No, "put together from several replays: not as the replay left it is histories/new-sequential.jsonl"},
		"other code":                       {since(sound, Since{Changed: []string{"new/main.go"}}), No, "the code has changed since the replay: new/main.go"},
	})
}

// The page says what it is not, and how to see for oneself: the whole replay, whichever case's
// command is known.
func TestNoteNamesTheWholeReplay(t *testing.T) {
	for rerun, want := range map[string]string{
		"twiceproof replay shop --only old/sequential":                   "replays the code that is named at the top: `twiceproof replay shop`.",
		"twiceproof replay 'a b' --only new/x --policy hold --rung step": "`twiceproof replay 'a b' --policy hold --rung step`.",
		"": "",
		"twiceproof replay " + strings.Repeat("a", 120) + " --only old/x": "",
	} {
		in := shown(charge(t))
		in.Report.Results[0].Rerun = rerun
		var page strings.Builder
		if err := New(in).WriteMarkdown(&page); err != nil {
			t.Fatal(err)
		}
		_, footer, is := strings.Cut(page.String(), "It is no signature: ")
		if !is || !strings.Contains(footer, want) || want == "" && strings.Contains(footer, "twiceproof replay") {
			t.Errorf("%s: %s", rerun, footer)
		}
	}
}
