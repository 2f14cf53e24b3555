package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// checkOnly: what stands before a known case is meant as a version, and must be one of
// the replay file's.
func checkOnly(only []string, spec *jobfile.Replay) error {
	for _, name := range only {
		version, rest, cut := strings.Cut(name, "/")
		known := slices.ContainsFunc(spec.Versions, func(v jobfile.CodeVersion) bool { return v.Name == version })
		if !cut || known || !isCase(rest) {
			continue
		}
		names := make([]string, len(spec.Versions))
		for i, v := range spec.Versions {
			names[i] = v.Name
		}
		return &hinted.Error{What: fmt.Sprintf("--only %s: the replay file has no version %q", name, version), Hint: "it has " + strings.Join(names, ", ")}
	}
	return nil
}

func isCase(name string) bool {
	return slices.ContainsFunc(replay.Cases(), func(c replay.Case) bool {
		return name == c.Name || strings.HasPrefix(name, c.Name+"/") && c.Name == judge.EveryStep || name == c.Name+"/" || name == c.Label()
	})
}

func checkRung(rung string) error {
	if slices.Contains(judge.Rungs(), judge.Rung(rung)) {
		return nil
	}
	var names []string
	for _, r := range judge.Rungs() {
		names = append(names, string(r))
	}
	return &hinted.Error{What: fmt.Sprintf("--rung %s: there is no such rung", rung), Hint: "write " + strings.Join(names, ", ")}
}
