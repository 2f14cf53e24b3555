package outside

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Route is a method and a path, such as "GET /charges/{reference}". A {name} is
// one whole part of the path, or the whole value of a query parameter.
type Route string

const wanted = "{reference}"

var methodText = regexp.MustCompile(`^[A-Z]+$`)

// pattern is a route with its text read.
type pattern struct {
	method string
	parts  []string
	query  url.Values
}

func (r Route) read() (pattern, error) {
	method, target, ok := strings.Cut(string(r), " ")
	if !ok || !methodText.MatchString(method) || !strings.HasPrefix(target, "/") {
		return pattern{}, fmt.Errorf(`%q: want a method and a path, such as "POST /charges"`, r)
	}
	path, query, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return pattern{}, fmt.Errorf("%q: %w", r, err)
	}
	p := pattern{method: method, parts: strings.Split(path, "/"), query: values}
	if n := strings.Count(string(r), wanted); n > 1 || n == 1 && !p.asks() {
		return pattern{}, fmt.Errorf("%q: {reference} must stand once, and alone, between slashes or as a query value", r)
	}
	return p, nil
}

// asks says whether the route names a reference.
func (p pattern) asks() bool {
	for _, part := range p.parts {
		if part == wanted {
			return true
		}
	}
	for _, values := range p.query {
		if values[0] == wanted {
			return true
		}
	}
	return false
}

// match says whether a request is for this route, and the reference in it.
func (p pattern) match(r request) (reference string, ok bool) {
	parts := strings.Split(r.path, "/")
	if r.method != p.method || len(parts) != len(p.parts) {
		return "", false
	}
	for i, part := range p.parts {
		got, err := url.PathUnescape(parts[i])
		if err != nil || got == "" && isHole(part) || got != part && !isHole(part) {
			return "", false
		}
		if part == wanted {
			reference = got
		}
	}
	return p.matchQuery(r.query, reference)
}

func (p pattern) matchQuery(query url.Values, reference string) (string, bool) {
	for name, values := range p.query {
		switch got := query.Get(name); {
		case !query.Has(name):
			return "", false
		case values[0] == wanted:
			reference = got
		case got != values[0] && !isHole(values[0]):
			return "", false
		}
	}
	return reference, true
}

// overlaps says whether some path is for both routes.
func (p pattern) overlaps(q pattern) bool {
	if len(p.parts) != len(q.parts) {
		return false
	}
	for i, part := range p.parts {
		if part != q.parts[i] && !isHole(part) && !isHole(q.parts[i]) {
			return false
		}
	}
	return true
}

func isHole(part string) bool {
	return strings.HasPrefix(part, "{") && strings.HasSuffix(part, "}")
}
