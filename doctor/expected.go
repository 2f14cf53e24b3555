package doctor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/dialect"
)

// expected is a column as the dialect's schema has it.
type expected struct {
	name, kind string
	notNull    bool
	fallback   string // its DEFAULT; empty: none
}

var (
	columnLine  = regexp.MustCompile(`(?m)^  ([a-z_]+) +([A-Za-z]+(?:\(\d+\))?)(.*)$`)
	defaultWord = regexp.MustCompile(`DEFAULT (\w+)`)
)

// expectedColumns reads the schema that twiceproof schema prints, so that the two can
// never differ.
func expectedColumns(name string) (all []expected) {
	for _, m := range columnLine.FindAllStringSubmatch(schemaOf(name), -1) {
		c := expected{name: m[1], kind: m[2], notNull: strings.Contains(m[3], "NOT NULL")}
		if d := defaultWord.FindStringSubmatch(m[3]); d != nil {
			c.fallback = d[1]
		}
		all = append(all, c)
	}
	return all
}

func schemaOf(name string) string {
	s, err := dialect.Load(name, "")
	if err != nil {
		return "" // no such dialect: nothing is expected of it
	}
	return regexp.MustCompile(`(?m)^--.*\n`).ReplaceAllString(s.Schema, "")
}

// Checks are the conditions of the CHECKs in a CREATE TABLE.
func Checks(create string) (all []string) {
	upper := strings.ToUpper(create)
	for at := 0; ; {
		i := strings.Index(upper[at:], "CHECK")
		if i < 0 {
			return all
		}
		at += i + len("CHECK")
		open := at + len(create[at:]) - len(strings.TrimLeft(create[at:], " \n\t"))
		if open >= len(create) || create[open] != '(' {
			continue
		}
		end := closing(create, open)
		all = append(all, create[open+1:end])
		at = end
	}
}

// closing is where the bracket ends that opens there; quoted brackets do not count.
func closing(text string, open int) int {
	depth, quoted := 0, false
	for i := open; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

var word = regexp.MustCompile(`[a-z_]+`)

// about is the set of columns that a condition is about: databases write the same
// condition in many ways.
func about(check string, columns []expected) string {
	said := word.FindAllString(regexp.MustCompile(`'[^']*'`).ReplaceAllString(check, ""), -1)
	var names []string
	for _, c := range columns {
		if slices.Contains(said, c.name) {
			names = append(names, c.name)
		}
	}
	return strings.Join(names, ", ")
}
