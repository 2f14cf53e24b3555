package change

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

// A job may have any name, so each template writes it as a text of its own language.
var quoting = template.FuncMap{
	"quote":  strconv.Quote, // for Go and Python
	"ruby":   rubyText,
	"sql":    sqlText,
	"shell":  shellWord,
	"single": singleQuoted,
	"yaml":   yamlText,
}

func yamlText(text string) string {
	if plainYAML.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

var (
	plainYAML = regexp.MustCompile(`^[a-z]+\.[a-z][a-z0-9_.-]*$`)
	plainWord = regexp.MustCompile(`^[A-Za-z0-9_./{}-]+$`)
	// longRune also takes a backslash that is one: what comes after it is no escape.
	longRune = regexp.MustCompile(`\\\\|\\U00[0-9a-f]{6}`)
)

// singleQuoted is YAML's most readable form, in which nothing is escaped.
func singleQuoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// rubyText: # begins what Ruby puts in, and \U is no escape there.
func rubyText(text string) string {
	return longRune.ReplaceAllStringFunc(strings.ReplaceAll(strconv.Quote(text), "#", `\#`), func(found string) string {
		if found == `\\` {
			return found
		}
		return `\u{` + strings.TrimPrefix(found, `\U00`) + "}"
	})
}

// sqlText is within quotes; a backslash is one in MySQL only.
func sqlText(dialect, text string) string {
	if dialect == "mysql" {
		text = strings.ReplaceAll(text, `\`, `\\`)
	}
	return strings.ReplaceAll(text, "'", "''")
}

// quoted is for a person.
func quoted(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) > most {
		return fmt.Sprintf("%.*q…", most, text)
	}
	return strconv.Quote(text)
}
