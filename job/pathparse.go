package job

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// PathError says why a text is no path.
type PathError struct {
	Text string // as it was written
	What string
	Hint string
}

func (e *PathError) Error() string {
	return "path " + strconv.Quote(e.Text) + ": " + e.What
}

// ParsePath reads a path; see Path for its form.
func ParsePath(text string) (Path, error) {
	p := pathParser{text: text, rest: text}
	steps, err := p.root()
	for err == nil && p.rest != "" {
		var s step
		s, err = p.step()
		steps = append(steps, s)
	}
	if err == nil {
		err = p.checkShape(steps)
	}
	if err != nil {
		return Path{}, err
	}
	return newPath(steps), nil
}

// MustParsePath is ParsePath for paths that are written in code; it panics on
// an error.
func MustParsePath(text string) Path {
	p, err := ParsePath(text)
	if err != nil {
		panic(err)
	}
	return p
}

type pathParser struct{ text, rest string }

func (p *pathParser) fail(what, hint string) error {
	return &PathError{Text: p.text, What: what, Hint: hint}
}

func (p *pathParser) root() ([]step, error) {
	if !utf8.ValidString(p.text) {
		return nil, p.fail("is not valid UTF-8", "save the file as UTF-8")
	}
	if p.text == "" {
		return nil, p.fail("is empty", "write a path such as body.order.id or args[0]")
	}
	name := p.bareName()
	switch name {
	case rootBody, rootAttributes, rootArgs, rootKwargs, rootHeaders, rootJob:
		return []step{{name: name}}, nil
	}
	return nil, p.fail("does not start with body, attributes, args, kwargs, headers or job",
		"SQS has body and attributes, Celery args, kwargs and headers, RQ args and kwargs, Sidekiq args and job")
}

func (p *pathParser) bareName() string {
	n := bareLength(p.rest)
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name
}

func (p *pathParser) step() (step, error) {
	switch c := p.rest[0]; {
	case c == '.':
		p.rest = p.rest[1:]
		return p.dotName()
	case strings.HasPrefix(p.rest, `["`):
		p.rest = p.rest[2:]
		return p.quotedName()
	case c == '[':
		p.rest = p.rest[1:]
		return p.listIndex()
	}
	return step{}, p.fail("has a character that must be quoted",
		`quote the whole name in brackets, such as body["order id"]`)
}

func (p *pathParser) dotName() (step, error) {
	name := p.bareName()
	if name != "" {
		return step{name: name}, nil
	}
	if p.rest == "" || p.rest[0] == '.' || p.rest[0] == '[' {
		return step{}, p.fail("has no name after a dot", "write a name after each dot, such as body.order.id")
	}
	return step{}, p.fail("has a character that must be quoted",
		`quote the whole name in brackets, such as body["order id"]`)
}

func (p *pathParser) quotedName() (step, error) {
	var name strings.Builder
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; c {
		case '"':
			p.rest = p.rest[i+1:]
			return step{name: name.String()}, p.closeBracket()
		case '\\':
			i++
			if i == len(p.rest) || p.rest[i] != '"' && p.rest[i] != '\\' {
				return step{}, p.fail("has a backslash before another character than a quote or a backslash",
					`between quotes write \\ for a backslash; every other character stands for itself`)
			}
			name.WriteByte(p.rest[i])
		default:
			name.WriteByte(c)
		}
	}
	return step{}, p.fail("has a quote that is not closed", `write body["order id"]`)
}

func (p *pathParser) closeBracket() error {
	if !strings.HasPrefix(p.rest, "]") {
		return p.fail("has a bracket that is not closed", `write args[0] or body["order id"]`)
	}
	p.rest = p.rest[1:]
	return nil
}

// maxIndexDigits keeps an index within 32 bits on every platform.
const maxIndexDigits = 9

func (p *pathParser) listIndex() (step, error) {
	digits := p.bareName()
	if err := p.closeBracket(); err != nil && digits != "" {
		return step{}, err
	}
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	switch {
	case digits == "" || strings.TrimLeftFunc(digits, isDigit) != "":
		return step{}, p.fail("has something else than a number between brackets",
			`write one place, counted from 0, such as args[0]; a name between brackets is quoted, such as body["order id"]`)
	case len(digits) > maxIndexDigits:
		return step{}, p.fail("has an index that is too large", "an index has at most 9 digits")
	case len(digits) > 1 && digits[0] == '0':
		return step{}, p.fail("has an index with a leading zero", "write args[1], not args[01]")
	}
	index, err := strconv.Atoi(digits)
	return step{index: index, inList: true}, err
}

// checkShape refuses a path that can never find a value, whatever the message.
func (p *pathParser) checkShape(steps []step) error {
	root := steps[0].name
	switch {
	case root == rootBody:
		return nil
	case root == rootArgs && (len(steps) < 2 || !steps[1].inList):
		return p.fail("goes into args without a place", "args is a list: write args[0]")
	case root == rootArgs:
		return nil
	case len(steps) < 2 || steps[1].inList:
		return p.fail("goes into "+root+" without a name", root+" has names: write "+root+".order_id")
	case root == rootAttributes && len(steps) > 2:
		return p.fail("goes into an attribute", "an attribute is one plain value; if the dot belongs to its name, quote it: "+
			"attributes["+quoteName(strings.TrimPrefix(p.text, "attributes."))+"]")
	}
	return nil
}
