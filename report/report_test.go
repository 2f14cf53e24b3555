package report

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// fixed is a report with every verdict and every kind in it.
func fixed() Report {
	result := func(version, name, verdict, kind, why string, effects int) judge.Result {
		r := judge.Result{
			Version: version, Guarded: version == "new", Case: name, Runs: 1, Operations: 1,
			What: "what happens in " + name, OK: "it stands it",
			Verdict: judge.Verdict{Verdict: verdict, Kind: kind, Why: why},
			Effects: effects, EffectsMin: effects, EffectsMax: effects, AllowedEffects: []int{1},
			Redelivery: "natural", FaultFired: strings.HasPrefix(name, "killed"),
			Rerun: "twiceproof replay shop --only " + version + "/" + name, Facts: []string{},
		}
		if r.Guarded && verdict != judge.NotApplicable {
			r.Records, r.State, r.ClaimAgeMS, r.LeaseMS = 1, "completed", 37_526, 150_000
		}
		return r
	}
	all := []judge.Result{
		result("old", "sequential", judge.Violation, judge.Duplicate, "4 effects, permitted 1", 4),
		result("new", "sequential", judge.OK, "", "", 1),
		result("old", "concurrent", judge.Violation, judge.Blocked, "a worker was still busy after 20s", 1),
		result("new", "concurrent", judge.OK, "", "", 1),
		result("old", "killed_after_claim", judge.Violation, judge.Lost, "0 effects, permitted 1; the record is absent and no message is left", 0),
		result("new", "killed_after_claim", judge.Violation, judge.Stuck, "0 effects and the record claimed, while its message goes round on the queue", 0),
		result("old", "killed_after_effect", judge.Unknown, "", "the fault did not fire before the effect's request goes out", 0),
		result("new", "killed_after_effect", judge.Violation, judge.AgainstPolicy, "1 effect and the record held, permitted 1 completed", 1),
		result("old", "young_claim", judge.OK, "", "", 1),
		result("new", "young_claim", judge.OK, "", "", 1),
		result("new", "no_redelivery", judge.NotApplicable, "", "nothing survives the rollback", 0),
	}
	all[2].Runs, all[3].Runs, all[2].Overlapped, all[3].Overlapped = 3, 104, 2, 100
	all[2].EffectsMax, all[2].Effects = 2, 2
	all[5].State = "claimed"
	all[6].FaultFired = false
	all[7].State, all[7].HoldReason, all[7].AllowedEffects = "held", "look_ups_used_up", []int{1, 2}
	all[8].Facts = []string{"after a redelivery within the lease: 1 effect", "past the lease: 1 effect"}
	all[5].Facts = []string{"at the fault: 0 effects, record claimed", "at the end: 0 effects, record claimed"}
	all[9].Facts = []string{"at the fault: 0 effects, record claimed, claim age 4ms, lease 2m30s, message on the queue", "2m31s pass", "at the end: 1 effect, record completed (acted)"}
	judged := Judged(planFor(all))
	return Report{
		Schema: Schema, GeneratedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), ToolVersion: "v0.1.0", Complete: true,
		Tree: &Tree{Commit: "0123456789abcdef0123456789abcdef01234567", Dirty: true},
		Job:  "charge.create", Queue: "sqs", Database: "sqlite", Policy: "lookup", LeaseMS: 120_000, StoredLeaseMS: 150_000,
		PolicyText: "A claim is good for 2m; while it is, no other worker takes the operation over.\n",
		Judged:     judged, Verdict: Overall(all, judged),
		Platform: map[string]string{"go": "go1.26", "sqs": "lab 1"}, CannotSee: []string{"files that the worker writes"}, Results: all,
		RerunHow: "The rerun commands are typed in the top folder of the repository.",
	}
}

func TestGolden(t *testing.T) {
	table := func(paint Paint) func(io.Writer, Report) error {
		return func(w io.Writer, r Report) error { return WriteTable(w, r, paint) }
	}
	for name, write := range map[string]func(io.Writer, Report) error{
		"report.json": WriteJSON, "report.md": WriteMarkdown, "table.txt": table(Plain), "colours.txt": table(Colours),
	} {
		var text, again bytes.Buffer
		if err := write(&text, fixed()); err != nil {
			t.Fatal(err)
		}
		if err := write(&again, fixed()); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
			t.Errorf("%s is not the same twice: %v", name, err)
		}
		if text.Len() > 64<<10 {
			t.Errorf("%s has %d bytes", name, text.Len())
		}
		golden.Check(t, "testdata/"+name, text.Bytes())
	}
}

// The summary is the end, and before it come the judged version's findings, in full;
// another version's are a line each, so that they do not push the rest off the screen.
func TestFindingsOfTheJudgedVersionComeFirst(t *testing.T) {
	var text bytes.Buffer
	if err := WriteTable(&text, fixed(), Plain); err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, piece := range []string{
		"new/killed_after_claim: stuck", "  rerun: twiceproof replay shop --only new/killed_after_claim", "new/killed_after_effect: against_policy",
		"old/sequential: duplicate: 4 effects, permitted 1\nold/concurrent: blocked", "old: 1 of 5 cases ok", "new: 3 of 6 cases ok", Limit,
	} {
		found := strings.Index(text.String(), piece)
		if found <= at {
			t.Errorf("%q is missing or too early in\n%s", piece, text.String())
		}
		at = max(at, found)
	}
	if strings.Contains(text.String(), "--only old/") || !strings.HasSuffix(text.String(), Limit+"\n") {
		t.Errorf("got\n%s", text.String())
	}
}

func TestOrigin(t *testing.T) {
	for want, tree := range map[string]*Tree{
		"2026-03-04 05:06:07 UTC · twiceproof v0.1.0 · code at 01ab":              {Commit: "01ab"},
		"2026-03-04 05:06:07 UTC · twiceproof v0.1.0 · code at 01ab with changes": {Commit: "01ab", Dirty: true},
		"2026-03-04 05:06:07 UTC · twiceproof v0.1.0 · code not in git":           nil,
	} {
		r := fixed()
		r.Tree = tree
		if got := origin(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		for name, write := range map[string]func(io.Writer, Report) error{
			"table":    func(w io.Writer, r Report) error { return WriteTable(w, r, Plain) },
			"Markdown": WriteMarkdown,
		} {
			var text bytes.Buffer
			if err := write(&text, r); err != nil || !strings.Contains(text.String(), want) {
				t.Errorf("the %s does not say %q: %v", name, want, err)
			}
		}
	}
}

// A command with a backquote in it does not end its piece of code.
func TestRerunInMarkdown(t *testing.T) {
	for command, want := range map[string]string{"twiceproof replay": "`twiceproof replay`", "replay 'a`b'": "`` replay 'a`b' ``"} {
		if got := inCode(command); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// It fits a pull request's comment; what there is room for is all there.
func TestMarkdownFitsAComment(t *testing.T) {
	of := func(places, why int) string {
		r := fixed()
		for i := range r.Results {
			r.Results[i].Facts = slices.Repeat([]string{"before step 7 (database INSERT INTO orders): at the fault: 0 effects"}, places)
			r.Results[i].Why = strings.Repeat("é", why)
		}
		var text bytes.Buffer
		if err := WriteMarkdown(&text, r); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if text := of(20, 20); strings.Contains(text, " more, in report.html") {
		t.Error("there is room for all of it, and some is left out")
	}
	for name, text := range map[string]string{"10,000 places": of(10_000, 0), "a long reason": of(0, 200_000), "both": of(10_000, 200_000)} {
		if len(text) > 65_536 || !utf8.ValidString(text) || !strings.Contains(text, "in report.html") {
			t.Errorf("%s: %d bytes, ending in %q", name, len(text), text[max(0, len(text)-60):])
		}
		if !strings.Contains(text, "## What each case showed") || !strings.Contains(text, "## Versions") {
			t.Errorf("%s: a section is cut off", name)
		}
	}
}

// What a worker has printed hides nothing of the report, and turns nothing round.
func TestMarkdownIsNotObeyed(t *testing.T) {
	const odd = "<!-- <script>\n# all ok\x1b[2K\u202e"
	r := fixed()
	r.Job, r.CannotSee, r.Results[0].Why, r.Results[0].Facts = odd, []string{odd}, odd, []string{odd}
	var text bytes.Buffer
	if err := WriteMarkdown(&text, r); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(text.String(), "\n") // the job's name is code
	if strings.ContainsAny(text.String(), "\x1b\u202e") || strings.Contains(text.String(), "\n# all ok") || strings.Contains(body, "<") || strings.Count(body, "&lt;!-- &lt;script>") < 3 {
		t.Errorf("got\n%s", text.String())
	}
	if r.Results[0].Why != odd || r.Results[0].Facts[0] != odd {
		t.Error("the report itself was changed")
	}
}

// Colour changes no width and no word.
func TestColoursOnlyPaint(t *testing.T) {
	var plain, coloured bytes.Buffer
	if err := WriteTable(&plain, fixed(), Plain); err != nil {
		t.Fatal(err)
	}
	if err := WriteTable(&coloured, fixed(), Colours); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("\x1b[0m", "", "\x1b[31m", "", "\x1b[32m", "", "\x1b[33m", "").Replace(coloured.String())
	if text != plain.String() || coloured.Len() == plain.Len() {
		t.Error("the coloured table has other words than the plain one, or no colour")
	}
}

func TestJSONComesBack(t *testing.T) {
	var text bytes.Buffer
	if err := WriteJSON(&text, fixed()); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text.Bytes(), &back); err != nil || !reflect.DeepEqual(back, fixed()) {
		t.Errorf("it comes back as %+v, %v", back, err)
	}
}

// The schema is written by hand; here it is held against the structs.
func TestSchemaFollowsTheStructs(t *testing.T) {
	type object struct {
		Additional any `json:"additionalProperties"`
		Required   []string
		Properties map[string]any
	}
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(JSONSchema, &schema); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		schema object
		typ    reflect.Type
	}{{schema.object, reflect.TypeFor[Report]()}, {schema.Defs["tree"], reflect.TypeFor[Tree]()}, {schema.Defs["result"], reflect.TypeFor[judge.Result]()}} {
		if c.schema.Additional != false {
			t.Errorf("%s takes unknown fields", c.typ)
		}
		names := fieldsOf(c.typ)
		for name, always := range names {
			if c.schema.Properties[name] == nil || slices.Contains(c.schema.Required, name) != always {
				t.Errorf("%s.%s is not as in the schema", c.typ, name)
			}
		}
		for name := range c.schema.Properties {
			if _, ok := names[name]; !ok {
				t.Errorf("%s.%s is in the schema only", c.typ, name)
			}
		}
	}
}

// fieldsOf gives the JSON names and whether each is always there.
func fieldsOf(typ reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			maps.Copy(names, fieldsOf(f.Type))
		}
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names[name] = options != "omitempty"
		}
	}
	return names
}

// A replay that was interrupted is about the version that it had not come to.
func TestAnInterruptedReplayIsAboutTheNewVersion(t *testing.T) {
	results := []judge.Result{{Version: "old", Verdict: judge.Verdict{Verdict: judge.OK}}}
	plan := judge.Plan{Cases: []judge.Planned{{Version: "old"}, {Version: "new"}, {Version: "extra"}}}
	if judged := Judged(plan); judged != "new" || Overall(results, judged) != judge.Unknown {
		t.Errorf("about %s: %s", judged, Overall(results, judged))
	}
}

func planFor(results []judge.Result) (p judge.Plan) {
	for _, r := range results {
		p.Cases = append(p.Cases, judge.Planned{Version: r.Version})
	}
	return p
}

func TestJudgedAndOverall(t *testing.T) {
	of := func(version, verdict string) judge.Result {
		return judge.Result{Version: version, Verdict: judge.Verdict{Verdict: verdict}}
	}
	for _, c := range []struct {
		name            string
		results         []judge.Result
		judged, overall string
		unbroken        []string
	}{
		{"nothing", nil, "", judge.OK, nil},
		{"the new one counts", []judge.Result{of("old", judge.Violation), of("new", judge.OK)}, "new", judge.OK, nil},
		{"whatever its place", []judge.Result{of("new", judge.Unknown), of("old", judge.OK)}, "new", judge.Unknown, []string{"old"}},
		{"the last one, without a new one", []judge.Result{of("v1", judge.OK), of("v2", judge.Violation)}, "v2", judge.Violation, []string{"v1"}},
		{"a violation beside an unknown", []judge.Result{of("new", judge.Unknown), of("new", judge.Violation), of("new", judge.OK)}, "new", judge.Violation, nil},
		{"unknown is never ok", []judge.Result{of("new", judge.OK), of("new", judge.Unknown), of("new", judge.OK)}, "new", judge.Unknown, nil},
		{"not applicable takes nothing away", []judge.Result{of("new", judge.OK), of("new", judge.NotApplicable)}, "new", judge.OK, nil},
		{"nothing fits it", []judge.Result{of("old", judge.Violation), of("new", judge.NotApplicable)}, "new", judge.Unknown, nil},
		{"another guarded one is not compared with", []judge.Result{of("old", judge.Violation), {Version: "django", Guarded: true, Verdict: judge.Verdict{Verdict: judge.OK}}, of("new", judge.OK)}, "new", judge.OK, nil},
		{"unknown breaks nothing", []judge.Result{of("old", judge.OK), of("old", judge.Unknown), of("old", judge.NotApplicable), of("new", judge.OK)}, "new", judge.OK, []string{"old"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			judged := Judged(planFor(c.results))
			if overall := Overall(c.results, judged); judged != c.judged || overall != c.overall {
				t.Errorf("got %s %s, want %s %s", judged, overall, c.judged, c.overall)
			}
			if got := Unbroken(c.results, judged); !slices.Equal(got, c.unbroken) {
				t.Errorf("unbroken: got %v, want %v", got, c.unbroken)
			}
		})
	}
}

// A long case is not silent where there is no terminal, and says nothing twice.
func TestProgressOfALongCase(t *testing.T) {
	var text bytes.Buffer
	p := &Progress{W: &text, Total: 2}
	race := judge.Planned{Version: "new", Case: "concurrent", Races: true, Runs: 100}
	steps := judge.Planned{Version: "new", Case: judge.EveryStep, Runs: 1}
	for done := range 101 {
		p.Show(replay.Progress{Planned: &race, Done: done})
		p.Show(replay.Progress{Planned: &steps, Done: done / 5, Of: 21})
	}
	want := "new/concurrent: 25 of 100 runs\nnew/concurrent: 50 of 100 runs\nnew/every_step: 10 of 21 places\nnew/concurrent: 75 of 100 runs\nnew/every_step: 20 of 21 places\n"
	if text.String() != want {
		t.Errorf("got\n%s", text.String())
	}
}

// Numbers of several operations are of each only where they are alike.
func TestNumbersOfSeveralOperations(t *testing.T) {
	bad := judge.Verdict{Verdict: judge.Violation, Kind: judge.Lost}
	good := judge.Verdict{Verdict: judge.OK}
	for _, c := range []struct {
		result        judge.Result
		numbers, told string
	}{
		{judge.Result{Verdict: good, EffectsMin: 1, EffectsMax: 1, Records: 1, State: "completed"}, "6 operations, 1 effect, completed each", "1 record, completed; so for each of 6 operations"},
		{judge.Result{Verdict: bad, EffectsMin: 0, EffectsMax: 1, Records: 1}, "6 operations, 0 to 1 effects, not each with a record", "not each has a record; of 6 operations"},
		{judge.Result{Verdict: bad, EffectsMin: 1, EffectsMax: 1, Records: 1, State: "held"}, "6 operations, 1 effect, held", "1 record, held; of 6 operations"},
		{judge.Result{Verdict: bad, EffectsMin: 2, EffectsMax: 2}, "6 operations, 2 effects each", "no record of ours; so for each of 6 operations"},
	} {
		c.result.Case, c.result.Version, c.result.Operations, c.result.Runs = "two_operations", "new", 6, 1
		if got := numbers(c.result); got != c.numbers {
			t.Errorf("got %q, want %q", got, c.numbers)
		}
		answers := answersOf(Report{Judged: "new", Results: []judge.Result{c.result}}, "two_operations")
		if len(answers) != 1 || !strings.HasSuffix(answers[0], c.told) {
			t.Errorf("got %q, want %q", answers, c.told)
		}
	}
}

func TestProgress(t *testing.T) {
	r := fixed().Results[0]
	planned := judge.Planned{Version: "old", Case: "concurrent", Races: true, Runs: 100}
	events := []replay.Progress{{Building: "old"}, {Planned: &planned}, {Planned: &planned, Done: 7}, {Result: &r}, {Note: "started cold: \x1b[2J"}}
	for terminal, want := range map[bool]string{
		false: "1 of 2  old/sequential: duplicate  4 effects\nstarted cold: \\x1b[2J\n",
		true: "\r\rbuilding old\r            \r1 of 2, 1 to go  old/concurrent  0 of 100 runs\r" + strings.Repeat(" ", 46) +
			"\r1 of 2, 1 to go  old/concurrent  7 of 100 runs\r" + strings.Repeat(" ", 46) + "\rstarted cold: \\x1b[2J\n\r\r",
	} {
		var text bytes.Buffer
		p := &Progress{W: &text, Terminal: terminal, Total: 2}
		for _, e := range events {
			p.Show(e)
		}
		p.End()
		if text.String() != want {
			t.Errorf("terminal %t: got %q, want %q", terminal, text.String(), want)
		}
	}
}
