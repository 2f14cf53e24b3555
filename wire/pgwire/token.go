package pgwire

import "strings"

// The functions here give the length of the token at the front of s. A token that
// does not end goes on to the end of s.

func through(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// comment: those of SQL nest.
func comment(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
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

// number: 17, 1.5e-3, 0xff, 1_000.
func number(s string) int {
	for i := range len(s) {
		sign := (s[i] == '+' || s[i] == '-') && s[i-1]|0x20 == 'e' && !strings.HasPrefix(s, "0x")
		if !isWord(s[i]) && s[i] != '.' && !sign {
			return i
		}
	}
	return len(s)
}

func word(s string) int {
	for i := range len(s) {
		if !isWord(s[i]) && (i == 0 || s[i] != '$') {
			return i
		}
	}
	return len(s)
}

func isWord(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
