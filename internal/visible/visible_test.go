package visible_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/twiceproof/twiceproof/internal/visible"
)

func TestLineAndText(t *testing.T) {
	for _, c := range []struct{ given, line, text string }{
		{"ord-7 für Ærø 注文 €", "ord-7 für Ærø 注文 €", "ord-7 für Ærø 注文 €"},
		{"\x1b]0;owned\x07", `\x1b]0;owned\a`, `\x1b]0;owned\a`},
		{"right\rwrong", `right\rwrong`, `right\rwrong`},
		{"abc\u202edef\u2066", `abc\u202edef\u2066`, `abc\u202edef\u2066`},
		{"a\u009b2Jb\x7f", `a\u009b2Jb\x7f`, `a\u009b2Jb\x7f`},
		{"zero\u200bwidth\u00a0blank", `zero\u200bwidth\u00a0blank`, `zero\u200bwidth\u00a0blank`},
		{"no \xff text", `no \xff text`, `no \xff text`},
		{"\ufffd itself", "\ufffd itself", "\ufffd itself"},
		{"one\n\ttwo", `one\n\ttwo`, "one\n\ttwo"},
		{"tag \U000e0041", `tag \U000e0041`, `tag \U000e0041`},
		{`C:\new`, `C:\new`, `C:\new`},
	} {
		if got := visible.Line(c.given); got != c.line {
			t.Errorf("line of %q: %s", c.given, got)
		}
		if got := visible.Text(c.given); got != c.text {
			t.Errorf("text of %q: %s", c.given, got)
		}
	}
}

// Whatever a document holds, it means the same, and a terminal shows all of it.
func TestJSONStaysTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\u202e", "\u009b2J", "\x7f", "\U000e0041", "\x1b", "\ufffd"})).Draw(rt, "value")
		document, err := json.MarshalIndent(map[string]string{"key": value}, "", "  ")
		if err != nil {
			rt.Fatal(err)
		}
		shown := visible.JSON(document)
		if strings.ContainsFunc(string(shown), func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }) {
			rt.Fatalf("%q", shown)
		}
		var back map[string]string
		if err := json.Unmarshal(shown, &back); err != nil || back["key"] != strings.ToValidUTF8(value, "\ufffd") {
			rt.Fatalf("%q became %q: %v", value, back["key"], err)
		}
	})
}
