package guardtest

import (
	"fmt"
	"slices"
	"strings"
)

// coverage counts what came of the deliveries, wakings and sweeps of the scenarios,
// by outcome, policy and the fault before it. It is read from the text, so it holds
// for whoever passes the scenarios.
type coverage map[triple]int

type triple struct{ policy, fault, outcome string }

func coverageOf(all []scenario) coverage {
	c := coverage{}
	for _, s := range all {
		t := tracker{fault: "none", table: c}
		for _, l := range s.lines {
			t.follow(l)
		}
	}
	return c
}

// tracker knows, line by line, the policy and the last thing that went wrong. What
// goes wrong in the step itself comes before what went wrong earlier.
type tracker struct {
	policy, fault string
	table         coverage
}

func (t *tracker) follow(l line) {
	switch l.step {
	case "job":
		if t.policy != "" {
			t.fault = "job changed"
		}
		t.policy = l.option("policy", l.option("effect", ""))
	case "lose":
		t.fault = "lost " + strings.Join(l.words, " ")
	case "refuse":
		t.fault = "refused " + l.words[0]
	case "pause":
		t.fault = "race at " + l.words[0]
	case "service":
		if l.words[0] != "truth" {
			t.fault = "look-up: " + l.words[0]
		}
	case "deliver", "wake":
		t.delivered(l)
	case "sweep":
		t.swept(l)
	case "resolve":
		t.fault = "a person: " + l.words[0]
	}
}

func (t *tracker) delivered(l line) {
	for _, word := range l.words[1:] {
		if word != "acts" && word != "pauses" {
			t.fault = "body " + strings.ReplaceAll(word, "_", " ")
		}
	}
	if l.outcome == "mismatch" {
		t.fault = "other content"
	}
	if l.outcome == "paused" {
		if strings.HasPrefix(t.fault, "race at") {
			return
		}
		t.fault = "worker gone before the effect"
		if contains(l.words, "acts") {
			t.fault = "worker gone after the effect"
		}
		return
	}
	if l.step == "wake" && strings.HasPrefix(t.fault, "worker gone") {
		t.fault = "worker came back"
	}
	t.count(l.outcome)
}

func (t *tracker) swept(l line) {
	for name := range l.want {
		if name != "reason" {
			t.count("sweep: " + strings.ReplaceAll(name, "_", " "))
		}
	}
	if l.outcome == "error" {
		t.count("sweep: error")
	}
	if contains(l.words, "apply") {
		t.fault = "swept"
	}
}

func (t *tracker) count(outcome string) { t.table[triple{t.policy, t.fault, outcome}]++ }

// String is a table, a triple a line.
func (c coverage) String() string {
	var lines []string
	for t, n := range c {
		lines = append(lines, fmt.Sprintf("%-17s %-30s %-18s %d", t.policy, t.fault, t.outcome, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n" + fmt.Sprintf("%d combinations\n", len(c))
}
