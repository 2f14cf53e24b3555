package respwire

import (
	"bytes"
	"encoding/hex"
)

// unquoted splits a line as Redis does: "a\x00b" with escapes, 'a' without, and nothing
// may come right behind a closing quote.
func unquoted(line []byte) (args [][]byte, ok bool) {
	for {
		line = bytes.TrimLeft(line, " \t\n\v\f\r\x00")
		if len(line) == 0 {
			return args, true
		}
		var arg []byte
		if arg, line, ok = word(line); !ok {
			return nil, false
		}
		args = append(args, arg)
	}
}

func word(line []byte) (arg, rest []byte, ok bool) {
	arg = []byte{}
	for len(line) > 0 && !isBlank(line[0]) {
		if line[0] != '"' && line[0] != '\'' {
			arg, line = append(arg, line[0]), line[1:]
			continue
		}
		arg, line, ok = quoted(arg, line[1:], line[0])
		return arg, line, ok && (len(line) == 0 || isBlank(line[0]))
	}
	return arg, line, true
}

func quoted(arg, line []byte, quote byte) (_, rest []byte, ok bool) {
	for len(line) > 0 && line[0] != quote {
		c, n := escaped(line, quote)
		arg, line = append(arg, c), line[n:]
	}
	if len(line) == 0 {
		return nil, nil, false
	}
	return arg, line[1:], true
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'a': '\a'}

// escaped is the next byte within quotes, and how many stand for it.
func escaped(line []byte, quote byte) (c byte, n int) {
	if line[0] != '\\' || len(line) < 2 || quote == '\'' && line[1] != '\'' {
		return line[0], 1
	}
	if line[1] == 'x' && len(line) >= 4 {
		var b [1]byte
		if _, err := hex.Decode(b[:], line[2:4]); err == nil {
			return b[0], 4
		}
	}
	if e, known := escapes[line[1]]; known {
		return e, 2
	}
	return line[1], 2
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' || c == 0 }
