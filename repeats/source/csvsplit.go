package source

import "strings"

// splitter takes rows of CSV off a text, with encoding/csv's rules. It is not that
// package since a quote which is never closed makes that read all the rest into memory
// and call it one row; and since it copies each row, which was half of the time.
type splitter struct {
	comma  byte
	most   int      // the last field that is wanted
	fields []string // of the row: those wanted, or all of a row with quotes
}

type ending int

const (
	whole   ending = iota
	empty          // a line with nothing in it, which is no row
	unsound        // no CSV, up to the end of a line
	open           // the text ends before the row does
)

// row splits the first row of a text, and says how long it is. Last: nothing follows.
func (s *splitter) row(text string, last bool) (length int, end ending) {
	s.fields = s.fields[:0]
	line, next, ended := lineOf(text, 0)
	if !ended && !last {
		return 0, open
	}
	if line == "" {
		return next, empty
	}
	if strings.IndexByte(line, '"') >= 0 {
		return s.quotedRow(text, last)
	}
	for len(s.fields) < s.most {
		i := strings.IndexByte(line, s.comma)
		if i < 0 {
			break
		}
		s.fields, line = append(s.fields, line[:i]), line[i+1:]
	}
	if i := strings.IndexByte(line, s.comma); i >= 0 {
		line = line[:i]
	}
	s.fields = append(s.fields, line)
	return next, whole
}

// lineOf is the line at a place without its end, and the place of the next one.
func lineOf(text string, at int) (line string, next int, ended bool) {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return strings.TrimSuffix(text[at:at+i], "\r"), at + i + 1, true
	}
	return strings.TrimSuffix(text[at:], "\r"), len(text), false
}

func (s *splitter) quotedRow(text string, last bool) (length int, end ending) {
	for at := 0; ; {
		var field string
		quoted := at < len(text) && text[at] == '"'
		if quoted {
			closing := closingQuote(text, at+1)
			if closing < 0 {
				return 0, open
			}
			field, at = unquoted(text[at+1:closing]), closing+1
		}
		rest, next, ended := lineOf(text, at)
		if !ended && !last {
			return 0, open
		}
		i := strings.IndexByte(rest, s.comma)
		if i >= 0 {
			rest, at = rest[:i], at+i+1
		}
		switch {
		case quoted && rest != "", strings.IndexByte(rest, '"') >= 0:
			return next, unsound
		case !quoted:
			field = rest
		}
		s.fields = append(s.fields, field)
		if i < 0 {
			return next, whole
		}
	}
}

// closingQuote is the place of the quote that ends a field, or -1. Two of them are one
// that belongs to the field.
func closingQuote(text string, at int) int {
	for {
		i := strings.IndexByte(text[at:], '"')
		if i < 0 {
			return -1
		}
		if at += i; at+1 == len(text) || text[at+1] != '"' {
			return at
		}
		at += 2
	}
}

func unquoted(field string) string {
	field = strings.ReplaceAll(field, `""`, `"`)
	return strings.ReplaceAll(field, "\r\n", "\n")
}
