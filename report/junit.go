package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// The JUnit form that CI systems read: one suite a code version, one test case a
// case and point.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Error   *junitMessage `xml:"error,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes every result as a test case: a violation is a failure, an
// unknown an error, since neither may pass for ok.
func WriteJUnit(w io.Writer, r Report) error {
	all := junitSuites{Name: "twiceproof replay of " + r.Job}
	for _, version := range Versions(r.Results) {
		all.Suites = append(all.Suites, junitSuiteOf(r, version))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitSuiteOf(r Report, version string) junitSuite {
	s := junitSuite{Name: version}
	for _, result := range r.Results {
		if result.Version != version {
			continue
		}
		c := junitCase{
			Class: r.Job + "." + version, Name: result.Label(),
			Output: numbers(result) + "\n" + strings.Join(result.Facts, "\n"),
		}
		message := &junitMessage{Message: result.Why, Type: result.Kind, Text: fmt.Sprintf("%s\nrerun: %s", result.Why, result.Rerun)}
		switch result.Verdict.Verdict {
		case judge.Violation:
			c.Failure = message
			s.Failures++
		case judge.Unknown:
			c.Error = message
			s.Errors++
		case judge.NotApplicable:
			c.Skipped = &junitMessage{Message: result.Why}
			s.Skipped++
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	return s
}
