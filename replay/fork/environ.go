package fork

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// forkedAs is how the first worker and the server were started, as they were told and as
// their interpreters saw it. What a command does between the two is seen so: it may set a
// variable by another one, or write an address among the words.
type forkedAs struct {
	first, server struct {
		given, seen map[string]string
		words       string
	}
	plain   map[string]string  // the server's, without the hook
	changed map[string]*string // by what the server has loaded; nil: unset
}

// environment is what a worker has when it is started cold with the one that is given, or
// what of it cannot be told.
func (s forkedAs) environment(given map[string]string) (map[string]string, error) {
	worker := map[string]string{}
	for name := range allNames(given, s.first.given, s.first.seen, s.server.given, s.server.seen) {
		passes := same(name, s.first.given, s.first.seen) && same(name, s.server.given, s.server.seen)
		from := given
		if !passes {
			if from = s.server.seen; !same(name, s.first.seen, s.server.seen) {
				return nil, fmt.Errorf("its command makes %s anew for each worker", name)
			}
		}
		if value, set := from[name]; set {
			worker[name] = value
		}
	}
	for name, value := range s.changed {
		if !same(name, worker, s.plain) && !same(name, worker, s.server.seen) {
			return nil, fmt.Errorf("what it loads changes %s", name)
		}
		if delete(worker, name); value != nil {
			worker[name] = *value
		}
	}
	return worker, nil
}

// checkWords: the words of a worker differ in {port} alone.
func (s forkedAs) checkWords(port string) error {
	if strings.ReplaceAll(s.server.words, "{port}", port) != s.first.words {
		return fmt.Errorf("its command tells each worker something else")
	}
	return nil
}

func same(name string, a, b map[string]string) bool {
	x, in := a[name]
	y, also := b[name]
	return in == also && x == y
}

func allNames(all ...map[string]string) map[string]bool {
	in := map[string]bool{}
	for _, m := range all {
		for name := range m {
			in[name] = true
		}
	}
	return in
}

// values are the variables of an environment; of one that is named twice, the last one.
func values(environ []string) map[string]string {
	all := map[string]string{}
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && name != "" {
			all[name] = value
		}
	}
	return all
}

// changes: a name without a value is one that is not there any more.
func changes(text string) map[string]*string {
	all := map[string]*string{}
	for v := range strings.SplitSeq(text, "\x00") {
		if name, value, set := strings.Cut(v, "="); set {
			all[name] = &value
		} else if v != "" {
			all[v] = nil
		}
	}
	return all
}

func listed(environ map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		list = append(list, name+"="+environ[name])
	}
	return list
}
