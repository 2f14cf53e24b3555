package mysqlwire

import (
	"regexp"
	"slices"
	"strings"
)

// The functions here give the length of the token at the front of s. A token that
// does not end goes on to the end of s.

func through(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// comment: those of MySQL do not nest. Of one that is run only the opening is left out.
func comment(s string) int {
	if open := runComment.FindString(s); open != "" {
		return len(open)
	}
	return 2 + through(s[2:], "*/")
}

// quoted: a quote within is doubled, or escaped where backslashes escape.
func quoted(s string, quote byte, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

// number: 17, 1.5e-3, 0xff, 0b01.
func number(s string) int {
	for i := range len(s) {
		sign := (s[i] == '+' || s[i] == '-') && i > 0 && s[i-1]|0x20 == 'e' && !strings.HasPrefix(s, "0x")
		if !isWord(s[i]) && s[i] != '.' && !sign {
			return i
		}
	}
	return len(s)
}

var numberForm = regexp.MustCompile(`^([0-9]+|[0-9]+[eE][0-9]*|0x[0-9a-fA-F]+|0b[01]+)$`)

func isNumber(s string) bool { return numberForm.MatchString(s) }

func word(s string) int {
	for i := range len(s) {
		if !isWord(s[i]) {
			return i
		}
	}
	return len(s)
}

func isWord(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '$' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isBlank(c byte) bool { return strings.IndexByte(" \t\r\n\f\v", c) >= 0 }

// MariaDB's setting for one statement, which follows.
var setStatement = regexp.MustCompile(`(?i)^set statement .*? for `)

// verb is what a normalised statement does: its first word, or what follows its WITH.
func verb(statement string) string {
	statement = statement[len(setStatement.FindString(statement)):]
	first, depth := "", 0
	for i := 0; i < len(statement); {
		n := word(statement[i:])
		switch w := strings.ToUpper(statement[i : i+n]); {
		case n > 0 && first == "" && w != "WITH":
			return w
		case n > 0 && depth == 0 && slices.Contains([]string{"SELECT", "UPDATE", "DELETE"}, w):
			return w
		case n > 0:
			first = "WITH"
		case statement[i] == '(' && first != "":
			depth++
		case statement[i] == ')':
			depth--
		}
		i += max(n, 1)
	}
	return "OK"
}
