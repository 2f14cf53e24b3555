package fork

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// learnt is what the first worker has written down.
type learnt struct {
	pids []string
	own  []string // what is loaded too early, or by something installed while that is loaded itself
	read []string // what a fork cannot have as its own
	load []asked  // what is installed, in the order in which it was asked for
}

// asked is one module or feature, where it was found, and in Ruby the load path by then,
// where it had changed.
type asked struct{ name, where, path string }

func readLearnt(text string) (l learnt) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line, whole := strings.CutSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, "\t")
		name, rest, _ := strings.Cut(rest, "\t")
		where, path, _ := strings.Cut(rest, "\t")
		switch {
		case !whole: // it is just being written
		case kind == "process":
			l.pids = append(l.pids, name)
		case kind == "own":
			l.own = append(l.own, name)
		case kind == "reads":
			l.read = append(l.read, name)
		case kind == "load" && !seen[name] && !strings.HasSuffix(name, ".__main__"):
			seen[name] = true
			l.load = append(l.load, asked{name, where, path})
		}
	}
	return l
}

// unfit says why a server cannot stand in for the workers' start; empty: it can.
func (l learnt) unfit(pid int) string {
	switch {
	case len(l.pids) == 0:
		return "no Python or Ruby was seen that loads what PYTHONPATH or RUBYOPT name"
	case len(l.pids) > 1 || l.pids[0] != fmt.Sprint(pid):
		return "the command leaves a shell or another program above the worker: let it end in exec"
	case len(l.read) > 0:
		return fmt.Sprintf("it reads %s, which is the server's in each of its forks", l.read[0])
	case len(l.own) > 0:
		return fmt.Sprintf("%s is the worker's own to load, and is loaded before its main program or by a library", l.own[0])
	}
	for _, one := range l.load {
		if base, _, _ := strings.Cut(one.name, "."); slices.Contains(patching, base) {
			return base + " changes what is loaded after it"
		}
	}
	return cmp.Or(map[bool]string{true: "it loads nothing that is installed"}[len(l.load) == 0])
}

// patching must come before everything else.
var patching = []string{"gevent", "eventlet"}

func (f *Workers) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(f.Folder, name)) // empty: it was not written
	return string(text)
}
