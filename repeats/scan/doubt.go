package scan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/repeats/source"
)

// Doubt is why a source without repeats does not show that there are none; empty when it
// does. Names are its columns, as far as it has any.
func (r *Result) Doubt(names []string) (reasons []string) {
	if r.Repeats() > 0 {
		return nil
	}
	if has(names, "operation_key") && has(names, "claim_token") {
		reasons = append(reasons, "it is a table of idempotency records, which has one row for each operation by its key: twiceproof status counts what it refused")
	} else if slices.ContainsFunc(names, countsAttempts) {
		reasons = append(reasons, "it has one row for each reference, and a column that counts attempts: such a row is rewritten at each run, so a repeat leaves no second one")
	}
	if n := r.Identical.SameFile; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d lines are in one file twice, word for word: the same line exported twice, or two events that differ in no column that was exported", n))
	}
	if n := r.Alikes.Families; n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d references look like another one: each may be one operation under two names", n))
	}
	return reasons
}

func has(names []string, name string) bool { return slices.Contains(names, name) }

// countsAttempts: by its name, the column counts how often the row's job has run.
func countsAttempts(name string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)) {
	case "attempts", "attempt", "attemptcount", "attemptscount", "tries", "trycount", "retries", "retrycount", "acts", "deliverycount",
		"deliveries", "executions", "executioncount", "runcount", "failurecount", "numattempts":
		return true
	}
	return false
}

// Unread is how many rows should have been events and could not be read. Lines that a
// pattern does not match were none, and a row without a reference names no operation.
func (r *Result) Unread() (n int) {
	for kind, left := range r.Left {
		if kind != source.Unmatched && kind != source.NoJSON && kind != noReference {
			n += left
		}
	}
	return n
}
