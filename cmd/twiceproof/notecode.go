package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/note"
	"github.com/twiceproof/twiceproof/report"
)

// codeSince holds the code below the folder of the replay file against what it was. The
// files that are left out are the evidence, the job file, whose meaning is compared, and
// what the note reads and writes.
func codeSince(ctx context.Context, tree *report.Tree, folder string, without ...string) note.Since {
	if tree == nil {
		return note.Since{} // the note says that it was not in git
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	top, err := git(ctx, folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return note.Since{Untold: "the job file is in no git repository"}
	}
	top = strings.TrimSpace(top)
	g, err := filesSince(ctx, filepath.Join(top, filepath.FromSlash(tree.Folder)), tree.Commit)
	switch {
	case ctx.Err() != nil:
		return note.Since{Untold: "git did not answer within " + gitLimit.String()}
	case err != nil:
		return note.Since{Untold: "the commit " + tree.Commit[:min(12, len(tree.Commit))] + " or its folder is not in this repository"}
	}
	all, out := map[string]bool{}, namesIn(top, without...)
	for name := range tree.Changed {
		all[name] = true
	}
	maps.Copy(all, g.differs)
	return sorted(all, func(name string) state {
		then, known := tree.Changed[name]
		now := digestIn(top, name)
		switch {
		case leftOut(name, out), known && then == now, !known && !g.were[name] && now == "":
			return same
		case !known && !g.were[name], known && then == "":
			return isNew
		}
		return other
	})
}

// gitFiles are names of files: of the commit, and of what differs from it now.
type gitFiles struct{ were, differs map[string]bool }

func filesSince(ctx context.Context, folder, commit string) (g gitFiles, err error) {
	were, err := git(ctx, folder, "ls-tree", "-r", "--name-only", "--full-name", "-z", commit, ".")
	if err != nil {
		return g, err
	}
	changed, err := git(ctx, folder, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", commit, "--", ".")
	if err != nil {
		return g, err
	}
	fresh, err := git(ctx, folder, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", ".")
	return gitFiles{nameSet(were), nameSet(changed + fresh)}, err
}

type state int

const (
	same state = iota
	other
	isNew
)

func sorted(names map[string]bool, is func(name string) state) (s note.Since) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch is(name) {
		case other:
			s.Changed = append(s.Changed, name)
		case isNew:
			s.New = append(s.New, name)
		}
	}
	return s
}

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		if name != "" {
			set[name] = true
		}
	}
	return set
}

// leftOut: it is one of these files, or below one of these folders.
func leftOut(name string, without []string) bool {
	return slices.ContainsFunc(without, func(below string) bool { return name == below || strings.HasPrefix(name, below+"/") })
}
