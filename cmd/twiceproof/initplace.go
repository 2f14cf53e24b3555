package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// topOf looks for the git repository that the folder is in, and tells where in it that is;
// without one, the folder is the top.
func topOf(folder string) (top, below string, err error) {
	whole, err := realPath(folder)
	if err != nil {
		return "", "", err
	}
	top = whole
	for !isThere(filepath.Join(top, ".git")) && filepath.Dir(top) != top {
		top = filepath.Dir(top)
	}
	if top == whole || !isThere(filepath.Join(top, ".git")) {
		return folder, "", nil
	}
	here, err := realPath(".")
	if err != nil {
		return "", "", err
	}
	if below, err = filepath.Rel(top, whole); err != nil {
		return "", "", err
	}
	top, err = filepath.Rel(here, top)
	return top, filepath.ToSlash(below), err
}

// commitOf the repository is the last one; empty where there is none, or no git.
func commitOf(ctx context.Context, top string) string {
	if !isThere(filepath.Join(top, ".git")) {
		return ""
	}
	text, err := git(ctx, top, "rev-parse", "--verify", "--quiet", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// realPath: above a link's own folder there is another repository, perhaps.
func realPath(folder string) (string, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(whole)
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
