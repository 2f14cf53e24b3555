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

// largestCode is more than a file of code has. Counter-example: a database that a worker
// has in its folder.
const largestCode = 10 << 20

// treeOf is the commit of the code in a folder, whether anything but the evidence
// differs from it, and what did so in the folder; nil where the folder is not in git, or
// there is no git.
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
	top = strings.TrimSpace(top)
	tree := &report.Tree{Commit: strings.TrimSpace(head), Changed: map[string]string{}}
	tree.Folder, _ = nameIn(top, folder)
	out := namesIn(top, evidence)
	for line := range strings.SplitSeq(changed, "\x00") { // XY path
		if len(line) <= 3 || leftOut(line[3:], out) {
			continue
		}
		tree.Dirty = true
		if tree.Folder == "" || strings.HasPrefix(line[3:], tree.Folder+"/") {
			tree.Changed[line[3:]] = digestIn(top, line[3:])
		}
	}
	return tree
}

// digestIn is the digest of a file that git names; empty where there is none, or one that
// is no code.
func digestIn(top, name string) string {
	path := filepath.Join(top, filepath.FromSlash(name))
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > largestCode {
		return ""
	}
	return report.Digest(path)
}

// namesIn are those of the files and folders that are there.
func namesIn(top string, paths ...string) (names []string) {
	for _, path := range paths {
		if name, ok := nameIn(top, path); ok && path != "" && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// nameIn is a file or folder as git names it, empty for the top; not ok when it is
// elsewhere. It need not be there yet, so the part that is decides.
func nameIn(top, name string) (string, bool) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", false
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
	if err != nil || !filepath.IsLocal(below) {
		return "", false
	}
	if below == "." {
		return "", true
	}
	return filepath.ToSlash(below), true
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
