package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/report"
)

// What comes from data neither reaches the terminal as a command, nor looks like a line
// of ours.
func TestErrorsAreVisible(t *testing.T) {
	const data = "a\x1b]0;owned\x07\r\u202e\u009b2J\nhint: run this"
	for _, err := range []error{
		errors.New(data), &hinted.Error{What: data, Hint: data, Output: data}, &jobfile.Error{File: data, What: data, Hint: data}, &usageError{err: errors.New(data), near: []string{data}},
	} {
		var text bytes.Buffer
		tell(t.Context(), &text, err)
		if strings.ContainsFunc(text.String(), func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }) || !strings.Contains(text.String(), `\x1b]0;owned\a\r\u202e\u009b2J`) {
			t.Errorf("%q", text.String())
		}
		if strings.Contains(text.String(), "\nhint: run this") {
			t.Errorf("a hint that is none:\n%s", text.String())
		}
	}
}

// So is a replay's report, and what init would write.
func TestResultsAreVisible(t *testing.T) {
	const data = "a\x1b]0;owned\x07\u202e"
	r := report.Report{Job: data, Judged: "new", Verdict: judge.Violation, Results: []judge.Result{{
		Version: "new", Case: "sequential", Facts: []string{data}, Rerun: data, Verdict: judge.Verdict{Verdict: judge.Violation, Kind: judge.Duplicate, Why: data},
	}}}
	var out bytes.Buffer
	for _, f := range []replayFlags{{}, {markdown: true}, {json: true}} {
		if f.std.out = &out; f.print(r) != nil {
			t.Fatalf("%+v", f)
		}
	}
	if err := (initResult{Files: []initFile{{data, "the migration", data + "\n"}}}).text(&out); err != nil {
		t.Fatal(err)
	}
	wantPlain(t, "a result", out.String())
	if n := strings.Count(out.String(), "owned"); n < 12 {
		t.Errorf("only %d are shown:\n%s", n, out.String())
	}
}

// JSON on a terminal is shown, too.
func TestJSONIsVisible(t *testing.T) {
	var out bytes.Buffer
	if err := show(&out, true, map[string]string{"key": "a\x1b\x7f\u009b\u202e<é>"}, nil); err != nil {
		t.Fatal(err)
	}
	if want := `"a\u001b\u007f\u009b\u202e<é>"`; !strings.Contains(out.String(), want) {
		t.Errorf("%q, want %s", out.String(), want)
	}
}
