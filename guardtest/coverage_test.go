package guardtest

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
)

// TestCoverage keeps the table of what the scenarios have, over all databases.
func TestCoverage(t *testing.T) {
	all, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	table := coverageOf(all)
	golden.Check(t, "testdata/coverage.txt", []byte(table.String()))
	seen := map[string]bool{}
	for one := range table {
		seen[one.policy] = true
	}
	for _, policy := range strings.Fields("lookup resend hold accept_duplicate accept_miss own_row") {
		if !seen[policy] {
			t.Errorf("no scenario has %s", policy)
		}
	}
}

// Each verb's request and reply are lost in some scenario, except where there is
// nothing to lose: a repeat is not waited for.
func TestEveryVerbIsLost(t *testing.T) {
	all, err := everything()
	if err != nil {
		t.Fatal(err)
	}
	hit := map[string]bool{"repeat": true}
	for _, s := range all {
		for _, l := range s.lines {
			if l.step == "lose" || l.step == "refuse" {
				hit[l.words[0]] = true
			}
		}
	}
	for _, verb := range verbsOf(testStatements) {
		if !hit[verb] {
			t.Errorf("%s is never lost", verb)
		}
	}
}
