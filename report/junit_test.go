package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// A violation is a failure and an unknown an error: neither may pass for ok. What
// does not apply is skipped.
func TestJUnit(t *testing.T) {
	var text bytes.Buffer
	if err := WriteJUnit(&text, fixed()); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/junit.xml", text.Bytes())
	var back junitSuites
	if err := xml.Unmarshal(text.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	for _, s := range back.Suites {
		for _, c := range s.Cases {
			for _, r := range fixed().Results {
				if r.Version != s.Name || r.Label() != c.Name {
					continue
				}
				got := [3]bool{c.Failure != nil, c.Error != nil, c.Skipped != nil}
				want := [3]bool{r.Verdict.Verdict == judge.Violation, r.Verdict.Verdict == judge.Unknown, r.Verdict.Verdict == judge.NotApplicable}
				if got != want {
					t.Errorf("%s/%s is %s: failure, error, skipped: %v", s.Name, c.Name, r.Verdict.Verdict, got)
				}
			}
		}
	}
}

// What XML cannot hold is replaced; the file stays well-formed and nothing gets out
// of its place.
func TestJUnitOddCharacters(t *testing.T) {
	const odd = "<&>\"'\x00\x1b[31m\x08\xff\ufffe]]>\r\n\t\u00e9\U0001f980"
	r := fixed()
	r.Job, r.Results = "job"+odd, r.Results[:1]
	r.Results[0].Case, r.Results[0].Why, r.Results[0].Rerun, r.Results[0].Facts = "case"+odd, odd, odd, []string{odd}
	var text bytes.Buffer
	if err := WriteJUnit(&text, r); err != nil {
		t.Fatal(err)
	}
	elements := 0
	for d := xml.NewDecoder(&text); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	if elements != 5 { // testsuites, testsuite, testcase, failure, system-out
		t.Errorf("%d elements", elements)
	}
}
