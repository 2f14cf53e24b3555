package peers

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

const page, begin, end = "../docs/peers.md", "<!-- found -->\n", "<!-- /found -->\n"

// TestPage: the page's table is what was found, and it says of each peer how it is run again.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	now, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	table := tableOf(t)
	if *update {
		write(t, page, before+begin+table+end+after)
	} else if now != table {
		t.Errorf("the table is not what was found; with -update it is:\n%s", table)
	}
	for _, peer := range all(t) {
		if !strings.Contains(before+after, "twiceproof replay peers/"+peer+"`") {
			t.Errorf("the page does not say how %s is replayed", peer)
		}
	}
}

// tableOf has a row for each case that some peer went through.
func tableOf(t *testing.T) string {
	t.Helper()
	peers := all(t)
	var verdicts []map[string]string
	for _, peer := range peers {
		verdicts = append(verdicts, found(t, peer))
	}
	table := "| case | " + strings.Join(peers, " | ") + " |\n|" + strings.Repeat(" --- |", len(peers)+1) + "\n"
	for _, c := range replay.Cases() {
		row := []string{"`" + c.Label() + "`"}
		for _, v := range verdicts {
			row = append(row, cell(v[c.Label()]))
		}
		if slices.ContainsFunc(row[1:], func(s string) bool { return s != cell("") }) {
			table += "| " + strings.Join(row, " | ") + " |\n"
		}
	}
	return table
}

func cell(verdict string) string {
	switch verdict {
	case "":
		return "–"
	case judge.OK:
		return verdict
	}
	kind, times, _ := strings.Cut(verdict, " ")
	return strings.TrimSpace("**" + kind + "** " + times)
}
