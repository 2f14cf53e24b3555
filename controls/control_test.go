package controls_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// control is one file of this folder; see the package's comment.
type control struct {
	name  string
	about string
	setup
	change change
	waits  string
	// telling is the first of its cases; only is the one that alone is run, as --only
	// names it; empty: all.
	telling, only string
	// finds is the kind of violation, by case or case/point.
	finds map[string]string
	// may are those of them that may also be ok.
	may map[string]bool
}

// setup is what a control shares with its twin.
type setup struct {
	worker, policy, database string
	rung                     judge.Rung
	patience                 time.Duration // with a busy worker; 0 means the replay's own
	both                     change
}

func (s setup) name() string {
	words := strings.Fields(strings.Join([]string{strings.TrimPrefix(s.worker, "../examples/"), s.policy, s.database, string(s.rung), s.both.file}, " "))
	return strings.Join(append([]string{"twin"}, words...), "+")
}

// folder is the worker's, from the tree's root.
func (s setup) folder() string {
	if s.worker == "" {
		return "examples/sqs-charge"
	}
	return filepath.Join("controls", s.worker)
}

// narrowed is the control with its telling case alone.
func (c control) narrowed() control {
	c.finds, c.may = map[string]string{c.telling: c.finds[c.telling]}, nil
	if c.only = c.telling; !strings.Contains(c.only, "/") {
		c.only += "/" // without the case's points
	}
	return c
}

// change is one hunk of one file.
type change struct{ file, old, new string }

func readControl(path string) (control, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return control{}, err
	}
	c := control{name: strings.TrimSuffix(filepath.Base(path), ".txt"), finds: map[string]string{}, may: map[string]bool{}}
	head, hunks := sections(string(text))
	c.change.old, c.change.new = hunks["old"], hunks["new"]
	c.both.old, c.both.new = hunks["both old"], hunks["both new"]
	var cases, kind string
	for _, line := range strings.Split(head, "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(line, "#"):
			c.about += line
		case line == "":
		case name == "case":
			cases += value + ","
		case name == "kind":
			kind = value
		case name == "also":
			_, err = c.also(value)
		case name == "may":
			name, err = c.also(value)
			c.may[name] = true
		case name == "policy":
			c.policy = value
		case name == "worker":
			c.worker = value
		case name == "database":
			c.database = value
		case name == "rung":
			c.rung = judge.Rung(value)
		case name == "patience":
			c.patience, err = time.ParseDuration(value)
		case name == "file":
			c.change.file = value
		case name == "both":
			c.both.file = value
		case name == "waits":
			c.waits = value
		default:
			err = fmt.Errorf("line %q is not known", line)
		}
		if err != nil {
			return c, err
		}
	}
	for _, name := range strings.Split(cases, ",") {
		if name = strings.TrimSpace(name); name != "" {
			c.finds[name] = kind
			c.telling = cmp.Or(c.telling, name)
		}
	}
	return c, c.check(kind)
}

// also reads "sequential stuck, because …".
func (c control) also(value string) (name string, err error) {
	what, why, _ := strings.Cut(value, ",")
	name, kind, _ := strings.Cut(what, " ")
	if strings.TrimSpace(why) == "" {
		return name, fmt.Errorf("%q gives no reason", value)
	}
	c.finds[name] = kind
	return name, nil
}

func (c control) check(kind string) error {
	switch {
	case c.about == "":
		return fmt.Errorf("it does not say what is wrong")
	case c.waits == "" && (len(c.finds) == 0 || kind == ""):
		return fmt.Errorf("it names no case, or no kind")
	case c.waits != "" && (kind != "" || hasCase(strings.SplitN(c.waits, ",", 2)[0])):
		return fmt.Errorf("it waits for %s, and a case shows it: name it as its case", c.waits)
	case c.rung != "" && !slices.Contains(judge.Rungs(), c.rung):
		return fmt.Errorf("there is no rung %q", c.rung)
	case c.change.old == "" || c.change.new == c.change.old:
		return fmt.Errorf("it changes nothing")
	}
	for name := range c.finds {
		if !hasCase(name) {
			return fmt.Errorf("there is no case %q", name)
		}
	}
	return nil
}

func hasCase(name string) bool {
	return slices.ContainsFunc(replay.Cases(), func(c replay.Case) bool { return c.Label() == name })
}

var mark = regexp.MustCompile(`(?m)^-- ((?:both )?(?:old|new)) --\n`)

// sections splits a control's text into its head and its hunks.
func sections(text string) (head string, hunks map[string]string) {
	hunks = map[string]string{}
	marks := mark.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		return text, hunks
	}
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		hunks[text[m[2]:m[3]]] = text[m[1]:end]
	}
	return text[:marks[0][0]], hunks
}

// write makes the file as the change has it.
func (c change) write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(c.applied(t)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c change) applied(t *testing.T) string {
	t.Helper()
	text := c.text(t)
	if n := strings.Count(text, c.old); n != 1 {
		t.Fatalf("the old text stands %d times in %s, want once", n, c.file)
	}
	return strings.Replace(text, c.old, c.new, 1)
}

// text is the file as it is in the tree.
func (c change) text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", c.file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
