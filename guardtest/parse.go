package guardtest

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/twiceproof/twiceproof/vectors"
)

// line is one step of a scenario: words and options, then what is expected.
type line struct {
	at       string // file:line
	step     string
	words    []string
	options  map[string]string
	expected bool // has an arrow
	want     map[string]string
	outcome  string   // the first word behind the arrow
	flags    []string // its other words
}

type scenario struct {
	file, name string
	lines      []line
}

// runsOn: a scenario without "only" is for every database.
func (s scenario) runsOn(database string) bool {
	for _, l := range s.lines {
		if l.step == "only" {
			return contains(l.words, database)
		}
	}
	return true
}

// load reads all scenarios.
func load(files fs.FS) ([]scenario, error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []scenario
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		parsed, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, parsed...)
	}
	return all, nil
}

func everything() ([]scenario, error) { return load(vectors.Files) }

func parse(file, text string) ([]scenario, error) {
	var all []scenario
	for n, raw := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", file, n+1)
		raw = strings.TrimSpace(raw)
		if raw == "" || raw[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(raw, "scenario "); ok {
			all = append(all, scenario{file: file, name: name})
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%s: a step before the first scenario", at)
		}
		l, err := parseLine(at, raw)
		if err != nil {
			return nil, err
		}
		last := &all[len(all)-1]
		last.lines = append(last.lines, l)
	}
	return all, nil
}

func parseLine(at, raw string) (line, error) {
	left, right, arrow := strings.Cut(raw, "->")
	l := line{at: at, expected: arrow}
	words, options, err := split(left)
	if err != nil || len(words) == 0 {
		return l, fmt.Errorf("%s: no step: %w", at, err)
	}
	l.step, l.words, l.options = words[0], words[1:], options
	if words, l.want, err = split(right); err != nil {
		return l, fmt.Errorf("%s: %w", at, err)
	}
	if len(words) > 0 {
		l.outcome, l.flags = words[0], words[1:]
	}
	if err := l.check(); err != nil {
		return l, fmt.Errorf("%s: %w", at, err)
	}
	return l, nil
}

func split(text string) (words []string, options map[string]string, err error) {
	options = map[string]string{}
	for _, token := range strings.Fields(text) {
		key, value, pair := strings.Cut(token, "=")
		_, twice := options[key]
		switch {
		case !pair:
			words = append(words, token)
		case twice:
			return nil, nil, fmt.Errorf("%s is said twice", key)
		default:
			options[key] = value
		}
	}
	return words, options, nil
}
