package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/report"
)

// A report is worth no longer wait than that.
const gitLimit = 10 * time.Second

// treeOf is the commit of the code in a folder, and whether anything but the
// evidence differs from it; nil where the folder is not in git, or there is no git.
func treeOf(ctx context.Context, folder, evidence string) *report.Tree {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	head, err := git(ctx, folder, "rev-parse", "--verify", "HEAD")
	if err != nil {
		return nil
	}
	top, err := git(ctx, folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil
	}
	changed, err := git(ctx, folder, "status", "--porcelain", "--no-renames", "--untracked-files=all", "-z")
	if err != nil {
		return nil
	}
	below := evidenceIn(strings.TrimSpace(top), evidence)
	dirty := slices.ContainsFunc(strings.Split(changed, "\x00"), func(line string) bool { // XY path
		return len(line) > 3 && (below == "" || !strings.HasPrefix(line[3:], below))
	})
	return &report.Tree{Commit: strings.TrimSpace(head), Dirty: dirty}
}

// evidenceIn is the evidence's folder as git names it; empty when it is elsewhere. It
// need not be there yet, so the part that is decides.
func evidenceIn(top, evidence string) string {
	path, err := filepath.Abs(evidence)
	if err != nil {
		return ""
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = filepath.Join(real, rest)
			break
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = filepath.Dir(path)
	}
	below, err := filepath.Rel(top, path)
	if err != nil || below == "." || !filepath.IsLocal(below) {
		return ""
	}
	return filepath.ToSlash(below) + "/"
}

// git asks about the folder's own repository, whatever a hook that runs this has set,
// and changes nothing in it.
func git(ctx context.Context, folder string, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-C", folder}, words...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0")
	text, err := cmd.Output()
	return string(text), err
}
