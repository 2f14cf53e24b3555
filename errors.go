package twiceproof

import (
	"errors"
	"slices"
)

// ErrDeadline is the cause of the context that the body gets, and what Check
// returns, when the claim's lease has ended.
var ErrDeadline = errors.New("the claim's lease is over")

// ErrKey is wrapped by the error of Run when the message has no usable operation
// key or fingerprint. Nothing was claimed or acted.
var ErrKey = errors.New("no operation key")

// ErrBody is wrapped by the error of RunTx when the guard committed nothing by the body's
// fault: it had ended the transaction, or swallowed an error that made it fail, or left
// what a deferred constraint refused at COMMIT. The database itself is well. What a body
// of PostgreSQL or SQLite writes after it has ended the transaction with SQL of its own is
// in no transaction: that is committed, at each delivery. In MySQL it is not.
var ErrBody = errors.New("the body broke its transaction")

type notApplied struct{ cause error }

func (e *notApplied) Error() string { return "not applied: " + e.cause.Error() }
func (e *notApplied) Unwrap() error { return e.cause }

// NotApplied marks an error of the job's body as proof that the effect did not
// happen, such as a refused connection: the claim is released and the next
// delivery acts again. Any other error means that nobody can tell. Do not use it
// for a client that retries inside: its first try may have been applied.
func NotApplied(cause error) error {
	if cause == nil {
		cause = errors.New("no cause given")
	}
	return &notApplied{cause: cause}
}

// isNotApplied tells whether an error was marked by NotApplied, itself or what it
// wraps. Of several errors joined into one each must be: a second try that timed
// out is not excused by a first one that was refused.
func isNotApplied(err error) bool {
	for err != nil {
		if _, ok := err.(*notApplied); ok { //nolint:errorlint // this loop unwraps by itself
			return true
		}
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			all := several.Unwrap()
			return len(all) > 0 && !slices.ContainsFunc(all, func(e error) bool { return !isNotApplied(e) })
		}
		err = errors.Unwrap(err)
	}
	return false
}
