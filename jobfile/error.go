package jobfile

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
)

// Error is one problem in a file. It holds names and settings from the file
// itself, such as a misspelt field, and never an address, message or password.
type Error struct {
	File         string // as it was named
	Line, Column int    // 0 when the whole file is meant
	Field        string // such as jobs.charge.create.lease; empty when no field is meant
	What         string
	Hint         string // what to do about it

	cause error // of the operating system
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.What
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.What
}

func (e *Error) Unwrap() error { return e.cause }

// Errors lists every *Error in an error of this package, by line.
func Errors(err error) []*Error {
	var list []*Error
	var one *Error
	switch joined, ok := err.(interface{ Unwrap() []error }); {
	case ok:
		for _, e := range joined.Unwrap() {
			list = append(list, Errors(e)...)
		}
	case errors.As(err, &one):
		list = append(list, one)
	}
	return list
}

// join gives the problems as one error, by line.
func join(list []*Error) error {
	slices.SortStableFunc(list, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	errs := make([]error, len(list))
	for i, e := range list {
		errs[i] = e
	}
	return errors.Join(errs...)
}
