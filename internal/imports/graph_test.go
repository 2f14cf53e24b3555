package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const module = "github.com/twiceproof/twiceproof"

// pkg is what `go list -json` says of one package.
type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	Imports    []string // of the package itself, without its tests
}

// graph is every package of the module and what it needs, by import path.
type graph map[string]pkg

// room is the path below the module, "." for the root; ok is false outside it.
func room(importPath string) (dir string, ok bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// in says whether a room is one of the named ones or below one of them.
func in(dir string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool {
		return dir == r || strings.HasPrefix(dir, r+"/")
	})
}

// needs is everything that a package imports, directly or not.
func (g graph) needs(importPath string) []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(path string) {
		for _, next := range g[path].Imports {
			if !seen[next] {
				seen[next] = true
				visit(next)
			}
		}
	}
	visit(importPath)
	return slices.Sorted(maps.Keys(seen))
}

// forbid complains of every package in a room that matches from and needs,
// directly or not, a package that bad rejects.
func (g graph) forbid(rule string, from func(dir string) bool, bad func(dir, needed string) bool) []string {
	var complaints []string
	for _, path := range slices.Sorted(maps.Keys(g)) {
		dir, ours := room(path)
		if !ours || !from(dir) {
			continue
		}
		for _, needed := range g.needs(path) {
			if bad(dir, needed) {
				complaints = append(complaints, fmt.Sprintf("%s: %s needs %s", rule, path, needed))
			}
		}
	}
	return complaints
}

// The rules that can be seen in who imports whom.
const (
	ruleRoot      = "the root imports the standard library, dialect and job only"
	ruleJob       = "job imports the standard library only"
	ruleAdmin     = "admin imports the standard library, dialect and job only"
	ruleReplay    = "replay never imports the root: a prover built on the guard would vouch for itself"
	ruleProtocols = "one wire protocol never imports another"
	ruleWire      = "wire knows bytes and steps, not jobs"
	ruleTests     = "guardtest, internal/golden, internal/testdb, internal/testreplay, processtest and wire/wiretest are imported by tests only"
)

var graphRules = []struct {
	name  string
	check func(graph) []string
}{
	{ruleRoot, func(g graph) []string { return isLean(g, ruleRoot, ".") }},
	{ruleJob, jobIsALeaf},
	{ruleAdmin, func(g graph) []string { return isLean(g, ruleAdmin, "admin") }},
	{ruleReplay, replayIsIndependent},
	{ruleProtocols, protocolsAreApart},
	{ruleWire, wireKnowsNoJobs},
	{ruleTests, testRoomsStayInTests},
}

// isLean: a room that others build upon brings them no dependency.
func isLean(g graph, rule, lean string) []string {
	return g.forbid(rule,
		func(dir string) bool { return dir == lean },
		func(_, needed string) bool {
			dir, ours := room(needed)
			return !g[needed].Standard && (!ours || !in(dir, "dialect", "job"))
		})
}

func jobIsALeaf(g graph) []string {
	return g.forbid(ruleJob,
		func(dir string) bool { return in(dir, "job") },
		func(_, needed string) bool {
			dir, ours := room(needed)
			return !g[needed].Standard && (!ours || !in(dir, "job"))
		})
}

func replayIsIndependent(g graph) []string {
	return g.forbid(ruleReplay,
		func(dir string) bool { return in(dir, "replay") },
		func(_, needed string) bool { return needed == module })
}

// protocol is the wire protocol that a room belongs to, such as "pgwire".
func protocol(dir string) string {
	below, ok := strings.CutPrefix(dir, "wire/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(below, "/")
	return name
}

func protocolsAreApart(g graph) []string {
	return g.forbid(ruleProtocols,
		func(dir string) bool { return protocol(dir) != "" },
		func(dir, needed string) bool {
			other, ours := room(needed)
			return ours && protocol(other) != "" && protocol(other) != protocol(dir)
		})
}

func wireKnowsNoJobs(g graph) []string {
	return g.forbid(ruleWire,
		func(dir string) bool { return in(dir, "wire") },
		func(_, needed string) bool {
			dir, ours := room(needed)
			return ours && (dir == "." || in(dir, "job", "jobfile", "queue", "replay"))
		})
}

// testRoomsStayInTests looks at direct imports: only those can be mended.
func testRoomsStayInTests(g graph) []string {
	var complaints []string
	for _, path := range slices.Sorted(maps.Keys(g)) {
		for _, imported := range g[path].Imports {
			if dir, ours := room(imported); ours && in(dir, "guardtest", "internal/golden", "internal/testdb", "internal/testreplay", "lab/internal/process/processtest", "replay/process/processtest", "wire/wiretest") {
				complaints = append(complaints, fmt.Sprintf("%s: %s imports %s", ruleTests, path, imported))
			}
		}
	}
	return complaints
}
