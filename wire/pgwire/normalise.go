package pgwire

import (
	"regexp"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// mask stands for every literal, such as a string, a number or a timestamp.
const mask = wire.Mask

var (
	// A long run of digits in a name is no name: "s139872384_x1".
	longNumber = regexp.MustCompile(`[0-9]{9,}`)
	// 'a', E'a', B'1', X'f', N'a', U&'a'.
	stringPrefix = regexp.MustCompile(`^(?i:[ebxn]|u&)?'`)
	dollarTag    = regexp.MustCompile(`^\$((?:[A-Za-z_]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*)?\$`)
	control      = regexp.MustCompile(`(?i)^(begin|start|commit|end|rollback|abort|savepoint|release)\b`)
)

// normalise gives the statements of a text, each in the form in which two runs of
// the same job agree. The verbs of transactions are written in capitals, because
// they are what a reader looks for; other words stay as they are.
func normalise(sql string) []string {
	s := scanner{rest: sql}
	for s.rest != "" {
		s.token()
	}
	s.end()
	return s.statements
}

type scanner struct {
	rest       string
	gap        bool // white space or a comment was left out
	out        strings.Builder
	statements []string
}

// token moves one token from rest to out.
func (s *scanner) token() {
	switch c := s.rest[0]; {
	case strings.IndexByte(" \t\r\n\f\v", c) >= 0:
		s.skip(1)
	case strings.HasPrefix(s.rest, "--"):
		s.skip(through(s.rest, "\n"))
	case strings.HasPrefix(s.rest, "/*"):
		s.skip(comment(s.rest))
	case c == ';':
		s.rest = s.rest[1:]
		s.end()
	case c == '"':
		s.name(quoted(s.rest, '"', false))
	case c == '$':
		s.dollar()
	case isDigit(c), c == '.' && len(s.rest) > 1 && isDigit(s.rest[1]):
		s.literal(number(s.rest))
	default:
		s.wordOrSign()
	}
}

func (s *scanner) wordOrSign() {
	if n := stringPrefix.FindString(s.rest); n != "" {
		open := len(n) - 1
		s.literal(open + quoted(s.rest[open:], '\'', strings.EqualFold(n, "e'")))
		return
	}
	if n := word(s.rest); n > 0 {
		s.name(n)
		return
	}
	s.emit(s.rest[:1], 1)
}

func (s *scanner) dollar() {
	if tag := dollarTag.FindString(s.rest); tag != "" {
		s.literal(len(tag) + through(s.rest[len(tag):], tag))
		return
	}
	s.emit(s.rest[:1+word(s.rest[1:])], 1+word(s.rest[1:])) // $1
}

func (s *scanner) skip(n int) {
	s.gap = true
	s.rest = s.rest[n:]
}

func (s *scanner) literal(n int) { s.emit(mask, n) }

func (s *scanner) name(n int) { s.emit(longNumber.ReplaceAllString(s.rest[:n], mask), n) }

func (s *scanner) emit(token string, n int) {
	if s.gap && s.out.Len() > 0 {
		s.out.WriteByte(' ')
	}
	s.gap = false
	s.out.WriteString(token)
	s.rest = s.rest[n:]
}

func (s *scanner) end() {
	if s.out.Len() > 0 {
		s.statements = append(s.statements, control.ReplaceAllStringFunc(s.out.String(), strings.ToUpper))
	}
	s.out.Reset()
	s.gap = false
}
