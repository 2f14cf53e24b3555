// Package visible writes out what a terminal would obey, or not show.
//
// Hard rule: everything that comes from outside (a key, a file's name, what a database
// says) passes through here on its way to a person. Counter-examples: an order number
// that holds ESC ] 0 ; renames the window, one with a carriage return overwrites the line
// it stands in, and one with U+202E turns the rest of it round.
package visible

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is a text in one line: what cannot be seen is written as Go writes it in quotes,
// such as \x1b, \n and \u202e.
func Line(text string) string { return written(text, unicode.IsPrint) }

// Text is a text that may have several lines and tabs.
func Text(text string) string {
	return written(text, func(c rune) bool { return c == '\n' || c == '\t' || unicode.IsPrint(c) })
}

// JSON leaves a document what it is: within its strings, an escaped character is the
// same one.
func JSON(document []byte) []byte {
	return []byte(escaped(string(document), func(c rune) bool { return c == '\n' || unicode.IsPrint(c) }, inJSON))
}

func written(text string, plain func(rune) bool) string {
	return escaped(text, plain, func(piece string) string {
		quoted := strconv.Quote(piece)
		return quoted[1 : len(quoted)-1]
	})
}

func escaped(text string, plain func(rune) bool, escape func(piece string) string) string {
	if strings.IndexFunc(text, func(c rune) bool { return c == utf8.RuneError || !plain(c) }) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		c, n := utf8.DecodeRuneInString(text)
		if piece := text[:n]; plain(c) && (c != utf8.RuneError || n > 1) {
			b.WriteString(piece)
		} else {
			b.WriteString(escape(piece))
		}
		text = text[n:]
	}
	return b.String()
}

// inJSON writes a character as one or two units of UTF-16.
func inJSON(piece string) string {
	c, _ := utf8.DecodeRuneInString(piece)
	switch {
	case c > 0xffff:
		c -= 0x10000
		return unit(0xd800+c>>10) + unit(0xdc00+c&0x3ff)
	case c == utf8.RuneError: // a byte that is no text has no place in JSON
		return string(utf8.RuneError)
	}
	return unit(c)
}

func unit(u rune) string { return `\u` + strconv.FormatInt(0x10000+int64(u), 16)[1:] }
