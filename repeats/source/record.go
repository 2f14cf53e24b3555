package source

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Columns are the names of what is read: of columns in CSV, paths in JSON, groups in a
// pattern. Only the reference and the time must be there.
type Columns struct {
	Reference string
	Time      string
	Message   string   // the queue's message id
	Content   []string // must not differ between two deliveries of one operation
	Key       []string // the operation key
}

// all are the names that are given, in a fixed order.
func (c Columns) all() []string {
	list := []string{c.Reference, c.Time}
	if c.Message != "" {
		list = append(list, c.Message)
	}
	return slices.Concat(list, c.Content, c.Key)
}

// Record is one row or line, still as text. It is good during the call that gets it.
type Record struct {
	Reference, Time, Message string
	Content, Key             []string
	Whole                    string // all of it, to see it twice
	Body                     string // of a JSON line
}

// Fill puts the values of the named columns in their places.
func (r *Record) Fill(c Columns, values []string) {
	r.Reference, r.Time, values = values[0], values[1], values[2:]
	if c.Message != "" {
		r.Message, values = values[0], values[1:]
	}
	r.Content, r.Key = values[:len(c.Content)], values[len(c.Content):]
}

// Sink is where records go, and the kinds of what could not be read.
type Sink struct {
	Take func(*Record) error
	Left func(kind string)
}

func (s Sink) leave(kind string, n int) {
	for range n {
		s.Left(kind)
	}
}

// Missing says that a column is not there, with the name that was perhaps meant. The known
// names are names: none of them is a value.
func Missing(file, what, name string, known []string) error {
	hint := "it has " + strings.Join(known, ", ")
	if len(known) > 30 {
		hint = "it has " + strings.Join(known[:30], ", ") + " and more"
	}
	if near := Nearest(name, known); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	if len(known) == 0 {
		hint = "look at one line of it; its names are not told, since they may be values"
	}
	return &Error{file + " has no " + what + " " + name, hint}
}

// Nearest is the known name that was probably meant, or empty.
func Nearest(name string, known []string) string {
	best, distance := "", max(2, len(name)/3)+1
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	for _, k := range known {
		d := levenshtein.ComputeDistance(plain.Replace(strings.ToLower(name)), plain.Replace(strings.ToLower(k)))
		if d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}
