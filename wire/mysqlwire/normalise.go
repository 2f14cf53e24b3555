package mysqlwire

import (
	"regexp"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// mask stands for every literal, and is what a parameter looks like: a statement has
// one name, whether a driver sends its values apart or within.
const mask = wire.Mask

var (
	// A long run of digits in a name is no name: "s139872384_x1".
	longNumber = regexp.MustCompile(`[0-9]{9,}`)
	// The server runs what is in such a comment: "/*!40101 SET x = 1 */".
	runComment = regexp.MustCompile(`^/\*M?![0-9]*`)
	// 'a', "a", x'f', b'1', N'a'.
	literalPrefix = regexp.MustCompile(`^(?i:[xbn]'|['"])`)
	control       = regexp.MustCompile(`(?i)^(begin|start|commit|rollback|savepoint|release)\b`)
)

// normalise gives the statements of a text, each in the form in which two runs of the
// same job agree. The verbs of transactions are written in capitals, because they are
// what a reader looks for; other words stay as they are.
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
	case isBlank(c):
		s.skip(1)
	case c == '#', strings.HasPrefix(s.rest, "--") && (len(s.rest) == 2 || isBlank(s.rest[2])):
		s.skip(through(s.rest, "\n"))
	case strings.HasPrefix(s.rest, "/*"):
		s.skip(comment(s.rest))
	case strings.HasPrefix(s.rest, "*/"): // the end of one that is run
		s.skip(2)
	case c == ';':
		s.rest = s.rest[1:]
		s.end()
	case c == '`':
		s.name(quoted(s.rest, '`', false))
	case isDigit(c), c == '.' && len(s.rest) > 1 && isDigit(s.rest[1]) && !s.afterWord():
		s.number()
	default:
		s.wordOrSign()
	}
}

// afterWord: the point in a.1b is no number's.
func (s *scanner) afterWord() bool {
	out := s.out.String()
	return !s.gap && out != "" && (isWord(out[len(out)-1]) || out[len(out)-1] == '`')
}

// number is a literal, or a name that begins with a digit.
func (s *scanner) number() {
	n := number(s.rest)
	if w := word(s.rest); w >= n && !isNumber(s.rest[:w]) {
		s.name(w)
		return
	}
	s.emit(mask, n)
}

func (s *scanner) wordOrSign() {
	if open := literalPrefix.FindString(s.rest); open != "" {
		at := len(open) - 1
		s.emit(mask, at+quoted(s.rest[at:], s.rest[at], true))
		return
	}
	if n := word(s.rest); n > 0 {
		s.name(n)
		return
	}
	s.emit(s.rest[:1], 1)
}

func (s *scanner) skip(n int) {
	s.gap = true
	s.rest = s.rest[n:]
}

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
