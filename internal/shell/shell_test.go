package shell_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/twiceproof/twiceproof/internal/shell"
)

func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		"":            "''",
		"charge.book": "charge.book",
		"a b":         "'a b'",
		"o'1":         `'o'\''1'`,
		"$HOME":       "'$HOME'",
		"für":         "'für'",
		"a\x1bb'":     `$'a\033b\''`,
		"a\u202e1":    `$'a\342\200\2561'`,
	} {
		if got := shell.Word(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// bash reads back what was written, and a terminal obeys none of it.
func TestBashReadsItBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.ReplaceAll(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\xff", "a\n", "\x1b]0;x\a", "-n"})).Draw(rt, "text"), "\x00", "")
		word := shell.Word(text)
		if strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsPrint(c) }) {
			rt.Fatalf("%q", word)
		}
		out, err := exec.CommandContext(t.Context(), "bash", "-c", "printf %s "+"x"+word).Output()
		if err != nil || string(out) != "x"+text {
			rt.Fatalf("%q came back as %q, %v", text, out, err)
		}
	})
}
