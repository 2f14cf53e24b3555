package note

import (
	"strings"
	"unicode/utf8"

	"github.com/twiceproof/twiceproof/internal/visible"
)

// A page's text is a list of spans, so that what a job file says can never become
// Markdown or HTML of its own: each renderer escapes every span.
type span struct {
	style style
	text  string
}

type style int

const (
	plain style = iota
	code
	strong
)

type line []span

// words makes a line: a plain text, or a span of another style.
func words(parts ...any) line {
	l := make(line, 0, len(parts))
	for _, part := range parts {
		switch p := part.(type) {
		case span:
			l = append(l, p)
		case string:
			l = append(l, span{plain, p})
		}
	}
	return l
}

func codeOf(text string) span   { return span{code, oneLine(text)} }
func strongOf(text string) span { return span{strong, text} }

// longest is what a page has room for of one text that somebody wrote.
const longest = 220

// said is a text that somebody wrote: in one line, cut where the page has no room for
// more.
func said(text string) string { return cut(oneLine(text), longest) }

func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + " … (cut; in full in the job file)"
}

// oneLine writes out what cannot be seen. Counter-example: a character that turns the
// direction of the line, so that whoever signs reads something else than is there.
func oneLine(text string) string {
	return visible.Line(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " "))
}

// section is one part of the page.
type section struct {
	title string
	lines []line
}

// page is the whole of it.
type page struct {
	title    line
	origin   line
	shown    Shown
	verdict  line
	reasons  []line // of what was not shown
	sections []section
	checks   [][]string // the first is the head
	after    []section
	sign     []signed
	reviewer line
	footer   line
}

// signed is one thing to confirm in writing.
type signed struct {
	what  string
	value line
}
