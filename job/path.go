package job

import (
	"slices"
	"strconv"
	"strings"
)

// Path names one value in a message:
//
//	args[0]   args[0].id   kwargs.order_id   body   body.order.id   attributes.tenant
//
// It starts with a root: body, attributes, args, kwargs, headers or job. A dot and a
// name go into an object, brackets and a number into a list, counted from 0. A name of
// other characters than ASCII letters, digits, _ and - is quoted in brackets:
// body["order id"]. Between the quotes \" is a quote, \\ is a backslash, and
// every other character stands for itself.
//
// The zero value is no path; see ParsePath.
type Path struct {
	text  string
	steps []step
}

// step goes into an object by name, or into a list by index.
type step struct {
	name   string
	index  int
	inList bool
}

// The roots of a path.
const (
	rootBody       = "body"
	rootAttributes = "attributes"
	rootArgs       = "args"
	rootKwargs     = "kwargs"
	rootHeaders    = "headers"
	rootJob        = "job"
)

// String gives the path in its canonical form, which ParsePath reads back.
// Names are quoted only where they must be: body["order"] becomes body.order.
func (p Path) String() string { return p.text }

// Root is the first name of the path: body, attributes, args, kwargs, headers or job.
func (p Path) Root() string {
	if len(p.steps) == 0 {
		return ""
	}
	return p.steps[0].name
}

// Equal reports whether both paths name the same value.
func (p Path) Equal(q Path) bool { return slices.Equal(p.steps, q.steps) }

// MarshalText gives the canonical form.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText parses the path.
func (p *Path) UnmarshalText(text []byte) (err error) {
	*p, err = ParsePath(string(text))
	return err
}

func newPath(steps []step) Path {
	var text strings.Builder
	text.WriteString(steps[0].name)
	for _, s := range steps[1:] {
		switch {
		case s.inList:
			text.WriteString("[" + strconv.Itoa(s.index) + "]")
		case isBare(s.name):
			text.WriteString("." + s.name)
		default:
			text.WriteString("[" + quoteName(s.name) + "]")
		}
	}
	return Path{text: text.String(), steps: steps}
}

func quoteName(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

func isBare(name string) bool {
	return name != "" && bareLength(name) == len(name)
}

// bareLength is how many bytes at the start of s need no quotes.
func bareLength(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return i
		}
	}
	return len(s)
}
