package dialect

import (
	"regexp"
	"strconv"
)

// Positional is a statement for a driver that knows parameters by their place only:
// each ?1, ?2 … has become a plain ?.
type Positional struct {
	SQL string
	// Order says which of the numbered parameters, counted from 0, stands at each place.
	Order []int
}

var numbered = regexp.MustCompile(`\?(\d+)`)

// NewPositional rewrites a statement with numbered parameters.
func NewPositional(statement string) Positional {
	var p Positional
	for _, found := range numbered.FindAllStringSubmatch(statement, -1) {
		n, _ := strconv.Atoi(found[1]) // digits
		p.Order = append(p.Order, n-1)
	}
	p.SQL = numbered.ReplaceAllString(statement, "?")
	return p
}

// Arguments are the numbered parameters' values in the order of their places.
func (p Positional) Arguments(numbered []any) []any {
	placed := make([]any, len(p.Order))
	for place, n := range p.Order {
		placed[place] = numbered[n]
	}
	return placed
}
