package change

import (
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

// A job may have any name, so each template writes it as a text of its own language.
var quoting = template.FuncMap{
	"quote": strconv.Quote,                                                                          // for Go and Python
	"ruby":  func(text string) string { return strings.ReplaceAll(strconv.Quote(text), "#", `\#`) }, // # begins what Ruby puts in
	"sql":   func(text string) string { return strings.ReplaceAll(text, "'", "''") },
	"yaml": func(text string) string {
		if plainYAML.MatchString(text) {
			return text
		}
		return strconv.Quote(text)
	},
}

var plainYAML = regexp.MustCompile(`^[a-z]+\.[a-z][a-z0-9_.-]*$`)
