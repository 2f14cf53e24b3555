package differential_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scenario is one of the files' sections.
type scenario struct {
	file, name string
	line       int // of its title
	steps      []*told
}

// timed says that timeouts end in it.
func (s *scenario) timed() bool {
	return slices.ContainsFunc(s.steps, func(t *told) bool {
		return slices.Contains([]string{"wait", "poll"}, readStep(t.text).action)
	})
}

// told is a step with what is written under it: what ours answers, and where an
// emulator answers something else, what, and why.
type told struct {
	line   int
	text   string
	ours   string
	others map[string]other // by emulator, or emulator/protocol
}

type other struct {
	text, reason string
}

// at is what is written for an emulator: ours where nothing else is.
func (t *told) at(emulator string, p protocol) (o other, differs bool) {
	if o, ok := t.others[emulator+"/"+string(p)]; ok {
		return o, true
	}
	if o, ok := t.others[emulator]; ok {
		return o, true
	}
	return other{text: t.ours}, false
}

// readScenarios reads a file. Each section starts with "== name"; a line is a
// step; under it "= text" is what ours answers ("ok" where it is left out), and
// "emulator: text [reason]" or "emulator/protocol: text [reason]" what another
// does.
func readScenarios(file, text string) ([]*scenario, error) {
	var all []*scenario
	var last *told
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		bad := func(what string) error { return fmt.Errorf("%s:%d: %s: %q", file, i+1, what, line) }
		if name, ok := strings.CutPrefix(line, "== "); ok {
			all = append(all, &scenario{file: file, name: name, line: i + 1})
			last = nil
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if len(all) == 0 {
			return nil, bad("a step before the first scenario")
		}
		s := all[len(all)-1]
		ours, isOurs := strings.CutPrefix(line, "= ")
		who, what, isOther := strings.Cut(line, ": ")
		isOther = isOther && isEmulator(who)
		switch {
		case (isOurs || isOther) && last == nil:
			return nil, bad("an answer before the first step")
		case isOurs:
			last.ours = ours
		case isOther:
			text, reason, ok := strings.Cut(what, " [")
			if !ok || last.others[who].text != "" {
				return nil, bad("a difference without its reason, or a second one")
			}
			last.others[who] = other{text, strings.TrimSuffix(reason, "]")}
		default:
			last = &told{line: i + 1, text: line, ours: "ok", others: map[string]other{}}
			s.steps = append(s.steps, last)
		}
	}
	return all, nil
}

func loadScenarios(t testing.TB) []*scenario {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios: ", err)
	}
	var all []*scenario
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read, err := readScenarios(filepath.Base(file), string(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read...)
	}
	return all
}
