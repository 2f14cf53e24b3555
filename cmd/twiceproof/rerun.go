package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/twiceproof/twiceproof/internal/shell"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// rerun is the command that runs one case again, under everything that was given. It
// can be pasted into a shell.
func (f replayFlags) rerun(version, name string) string {
	folder := f.folder
	if strings.HasPrefix(folder, "-") { // it would be taken for a flag
		folder = "./" + folder
	}
	words := []string{"twiceproof", "replay", folder, "--only", version + "/" + name}
	words = append(words, f.policyFlags.words()...)
	if f.rung != "" && f.rung != string(judge.Durable) {
		words = append(words, "--rung", f.rung)
	}
	if f.fast {
		words = append(words, "--fast")
	}
	if f.evidence != "" {
		words = append(words, "--evidence", f.evidence)
	}
	if f.json {
		words = append(words, "--json")
	}
	if f.markdown {
		words = append(words, "--markdown")
	}
	for i, word := range words {
		words[i] = shell.ForSh(word)
	}
	return strings.Join(words, " ")
}

// rerunHow says where the rerun commands are typed: their paths are as they were given.
func rerunHow(ctx context.Context) string {
	text := "The rerun commands are typed in " + workingFolder(ctx)
	if program, err := os.Executable(); err == nil && madeByGoRun(program) {
		text += ", with " + goRun() + " in place of twiceproof"
	}
	return text + "."
}

// workingFolder is named from the top of the repository, where there is one: a report
// is read on other machines, too.
func workingFolder(ctx context.Context) string {
	here, err := os.Getwd()
	if err != nil {
		return "the folder in which the replay was started"
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	below, err := git(ctx, here, "rev-parse", "--show-prefix")
	switch below = strings.TrimSpace(below); {
	case err != nil:
		return "the folder " + here
	case below == "":
		return "the top folder of the repository"
	}
	return "the folder " + strings.TrimSuffix(below, "/") + " of the repository"
}

// madeByGoRun: go run keeps what it has built in a folder of its own, or in its cache.
func madeByGoRun(program string) bool { return builtByGoRun.MatchString(filepath.ToSlash(program)) }

var builtByGoRun = regexp.MustCompile(`/go-build\d+/b\d+/exe/[^/]+$|/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$`)

func goRun() string {
	const here = "./cmd/twiceproof"
	if _, err := os.Stat(here); err == nil {
		return "go run " + here
	}
	return "go run github.com/twiceproof/twiceproof/cmd/twiceproof@latest"
}
