package differential_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// compare holds what an emulator did against what is written. A difference that
// is not written is a complaint, and so is a written one that was not seen.
func compare(all []*scenario, e emulator, results map[protocol][]observed) []string {
	var complaints []string
	for i, s := range all {
		for n, step := range s.steps {
			for _, p := range e.protocols {
				got := results[p][i][n]
				want, differs := step.at(e.name, p)
				if got == want.text {
					continue
				}
				what := "is not listed as a difference"
				if differs {
					what = "is not the listed difference"
				}
				complaints = append(complaints, fmt.Sprintf("%s:%d: %s, %s over %s: %s\n%s, which %s\nwant %s",
					s.file, step.line, s.name, e.name, p, step.text, got, what, want.text))
			}
		}
	}
	return complaints
}

// spelling is the codes that an emulator spells otherwise than Amazon in one
// protocol, each listed once instead of at every step. It remembers what it met.
type spelling struct {
	codes map[string]string
	mu    sync.Mutex
	met   map[string]bool
}

// read is the code in Amazon's spelling.
func (s *spelling) read(code string) string {
	if s == nil {
		return code
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	amazons, ok := s.codes[code]
	if !ok {
		return code
	}
	s.met[code] = true
	return amazons
}

// unmet are the listed codes that the emulator no longer answers.
func (s *spelling) unmet() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.codes)), func(code string) bool { return s.met[code] })
}

// wellListed checks the lists themselves: each reason is known and used, and a
// listed difference differs.
func wellListed(all []*scenario, known map[string]reason) []string {
	var complaints []string
	used := map[string]bool{}
	for _, s := range all {
		for _, step := range s.steps {
			for who, o := range step.others {
				used[o.reason] = true
				if _, ok := known[o.reason]; !ok {
					complaints = append(complaints, fmt.Sprintf("%s:%d: %s: no such reason: %s", s.file, step.line, who, o.reason))
				}
				if o.text == step.ours {
					complaints = append(complaints, fmt.Sprintf("%s:%d: %s: no difference", s.file, step.line, who))
				}
			}
		}
	}
	for name := range known {
		if !used[name] {
			complaints = append(complaints, "no difference has the reason "+name)
		}
	}
	slices.Sort(complaints)
	return complaints
}

// record puts what an emulator did into the scenarios, the old reasons kept.
func record(all []*scenario, e emulator, results map[protocol][]observed) {
	for i, s := range all {
		for n, step := range s.steps {
			reasons := map[protocol]string{}
			for _, p := range e.protocols {
				if o, ok := step.at(e.name, p); ok {
					reasons[p] = o.reason
				}
			}
			delete(step.others, e.name)
			got := map[string]bool{}
			for _, p := range e.protocols {
				delete(step.others, e.name+"/"+string(p))
				got[results[p][i][n]] = true
			}
			for _, p := range e.protocols {
				text, who := results[p][i][n], e.name+"/"+string(p)
				if len(got) == 1 {
					who = e.name
				}
				if text != step.ours {
					step.others[who] = other{text, strings.TrimSpace(reasons[p] + " ")}
				}
			}
		}
	}
}

// save writes the scenarios back, with the comments and blank lines they had.
func save(t *testing.T, all []*scenario) {
	byFile := map[string]map[int]*told{}
	for _, s := range all {
		if byFile[s.file] == nil {
			byFile[s.file] = map[int]*told{}
		}
		for _, step := range s.steps {
			byFile[s.file][step.line] = step
		}
	}
	for file, steps := range byFile {
		path := filepath.Join("testdata", file)
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for i, line := range strings.Split(strings.TrimSuffix(string(old), "\n"), "\n") {
			who, _, isOther := strings.Cut(line, ": ")
			if strings.HasPrefix(line, "= ") || isOther && isEmulator(who) {
				continue
			}
			b.WriteString(line + "\n")
			if step := steps[i+1]; step != nil {
				step.write(&b)
			}
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (t *told) write(b *strings.Builder) {
	if t.ours != "ok" {
		fmt.Fprintf(b, "= %s\n", t.ours)
	}
	for _, e := range emulators {
		for _, who := range []string{e.name, e.name + "/json", e.name + "/query"} {
			if o, ok := t.others[who]; ok {
				fmt.Fprintf(b, "%s: %s [%s]\n", who, o.text, o.reason)
			}
		}
	}
}
