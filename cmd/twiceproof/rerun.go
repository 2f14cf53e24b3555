package main

import (
	"regexp"
	"strings"
)

// rerun is the command that runs one case again, under everything that was given. It
// can be pasted into a shell.
func (f replayFlags) rerun(version, name string) string {
	folder := f.folder
	if strings.HasPrefix(folder, "-") { // it would be taken for a flag
		folder = "./" + folder
	}
	words := []string{"twiceproof", "replay", folder, "--only", version + "/" + name}
	for _, flag := range []struct{ name, value string }{{"--policy", f.policy}, {"--evidence", f.evidence}} {
		if flag.value != "" {
			words = append(words, flag.name, flag.value)
		}
	}
	if f.json {
		words = append(words, "--json")
	}
	if f.markdown {
		words = append(words, "--markdown")
	}
	for i, word := range words {
		words[i] = quoted(word)
	}
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// quoted is a word as a shell reads it back.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
