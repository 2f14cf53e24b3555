// Package shell writes words as a shell reads them back.
package shell

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
)

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// Word is the text as it is, where a shell takes nothing of it apart; else in quotes.
// What a terminal would not show, or obey, is written as bash and zsh read it.
func Word(text string) string {
	switch {
	case plain.MatchString(text):
		return text
	case text == visible.Line(text):
		return Quote(text)
	}
	return escaped(text)
}

// ForSh is the text as a shell reads it that knows no $'…', such as dash: in quotes where
// it has to be.
func ForSh(text string) string {
	if plain.MatchString(text) {
		return text
	}
	return Quote(text)
}

// Quote is the text in quotes.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// escaped: three octal digits end by themselves, whatever comes next.
func escaped(text string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
