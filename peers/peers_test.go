package peers

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/lab/redis"
	"github.com/twiceproof/twiceproof/replay/judge"
)

var update = flag.Bool("update", false, "write what was found, and the table of the page")

// result is the part of a replay's JSON that is compared.
type result struct {
	Case, Point, Verdict, Kind, Why string
	Effects                         int // of one operation, at the most
}

func (r result) label() string { return strings.TrimSuffix(r.Case+"/"+r.Point, "/") }

// found is the kind of a violation, or the verdict; of a duplicate also how many there were.
func (r result) found() string {
	switch r.Kind {
	case "":
		return r.Verdict
	case judge.Duplicate:
		return fmt.Sprint(r.Kind, " ", r.Effects)
	}
	return r.Kind
}

// TestFound: each peer is found to be what its file says.
func TestFound(t *testing.T) {
	if os.Getenv("TWICEPROOF_FULL") == "" {
		t.Skip("it installs packages and takes half an hour; TWICEPROOF_FULL=1 runs it")
	}
	server, err := redis.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	t.Setenv("PEER_REDIS", server.URL())
	tool := filepath.Join(t.TempDir(), "twiceproof")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "../cmd/twiceproof").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, peer := range all(t) {
		t.Run(peer, func(t *testing.T) { compare(t, peer, replayed(t, tool, peer)) })
	}
}

// all are the folders that have a replay file.
func all(t *testing.T) (peers []string) {
	t.Helper()
	files, err := filepath.Glob("*/twiceproof.replay.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no peer: %v", err)
	}
	for _, file := range files {
		peers = append(peers, filepath.Dir(file))
	}
	return peers
}

// replayed runs the very command that the page names.
func replayed(t *testing.T, tool, peer string) []result {
	t.Helper()
	command := exec.CommandContext(t.Context(), tool, "replay", peer, "--json", "--evidence", t.TempDir())
	var printed strings.Builder
	command.Stderr = &printed
	text, err := command.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	var all struct{ Results []result }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all.Results
}

func compare(t *testing.T, peer string, results []result) {
	t.Helper()
	if !*update {
		for _, difference := range differences(found(t, peer), results) {
			t.Error(difference)
		}
		return
	}
	text := ""
	for _, r := range results {
		if r.Verdict == judge.Unknown {
			t.Fatalf("%s: unknown: %s", r.label(), r.Why)
		}
		if r.Verdict != judge.NotApplicable {
			text += fmt.Sprintf("%-29s %s\n", r.label(), r.found())
		}
	}
	write(t, filepath.Join(peer, "found.txt"), text)
}

// differences are those between what was found before, by case, and what is now.
func differences(before map[string]string, now []result) (all []string) {
	judged := map[string]bool{}
	for _, r := range now {
		if r.Verdict == judge.NotApplicable {
			continue
		}
		judged[r.label()] = true
		if r.found() != before[r.label()] {
			all = append(all, fmt.Sprintf("%s: %s, and found.txt says %q: %s", r.label(), r.found(), before[r.label()], r.Why))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !judged[name] {
			all = append(all, name+": not judged")
		}
	}
	return all
}

func TestDifferences(t *testing.T) {
	before := map[string]string{"sequential": "duplicate 2", "late_finisher/after_effect": "ok"}
	late := result{Case: "late_finisher", Point: "after_effect", Verdict: judge.OK}
	twice := result{Case: "sequential", Verdict: judge.Violation, Kind: judge.Duplicate, Effects: 2}
	thrice, lost, unknown, shutdown := twice, twice, late, late
	thrice.Effects, lost.Kind, unknown.Verdict, shutdown.Case = 3, judge.Lost, judge.Unknown, "shutdown"
	for name, c := range map[string]struct {
		now  []result
		want int
	}{
		"the same":        {[]result{twice, late, {Case: "keyless", Verdict: judge.NotApplicable}}, 0},
		"more often":      {[]result{thrice, late}, 1},
		"of another kind": {[]result{lost, late}, 1},
		"unknown":         {[]result{twice, unknown}, 1},
		"not judged":      {[]result{twice}, 1},
		"another case":    {[]result{twice, late, shutdown}, 1},
	} {
		if got := differences(before, c.now); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A line of found.txt. What is unknown was not found.
var form = regexp.MustCompile(`^([a-z_/0-9]+) +(ok|duplicate \d+|lost|stuck|blocked)\n$`)

// found reads a peer's file, by case.
func found(t *testing.T, peer string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(peer, "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for line := range strings.Lines(string(text)) {
		parts := form.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("%s/found.txt: %q is no case and what was found in it", peer, line)
		}
		verdicts[parts[1]] = parts[2]
	}
	return verdicts
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
