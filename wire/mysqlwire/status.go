package mysqlwire

import (
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// A status has one result for each statement, in order: "INSERT 1 I", "BEGIN T",
// "ERROR 1062 23000". The number is that of the rows which were changed or returned.
// The letter is the server's own: I, idle, is what is committed, or needs no commit; T
// is within a transaction.

var writes = []string{"INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD"}

// impliesCommit are what has committed a transaction that was open: BEGIN, and SET autocommit = 1.
// The COMMIT stands before it.
var impliesCommit = map[string]bool{"BEGIN T": true, "START T": true, "SET I": true}

func isWrite(verb string) bool { return slices.Contains(writes, verb) }

// Durable says, of a status as the gate's events have it, that the step has made
// something durable: a statement ended idle that was no ROLLBACK, or a COMMIT began the
// next transaction. A statement that only read counts too, as it may have called a
// function that writes.
//
// Not seen is a COMMIT, also an implied one, that has nothing left to commit, since an error
// (1213) has rolled all of it back.
func Durable(status string) bool {
	return slices.ContainsFunc(wire.Split(status), func(r string) bool {
		verb, _, _ := strings.Cut(r, " ")
		switch verb {
		case "ERROR", "ROLLBACK":
			return false
		}
		return verb == "COMMIT" || strings.HasSuffix(r, " I")
	})
}
