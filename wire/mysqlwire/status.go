package mysqlwire

import (
	"fmt"
	"slices"
	"strings"
)

// A status has one result for each statement, in order: "INSERT 1 I", "BEGIN T",
// "ERROR 1062 23000". The number is that of the rows which were changed or returned.
// The letter is the server's own: I, idle, is what is committed, or needs no commit; T
// is within a transaction.

var writes = []string{"INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD"}

func isWrite(verb string) bool { return slices.Contains(writes, verb) }

// Durable says, of a status as the gate's events have it, that the step has made
// something durable: a statement ended idle that was no ROLLBACK, or a COMMIT began the
// next transaction. A statement that only read counts too, as it may have called a
// function that writes.
//
// Not seen are a BEGIN within a transaction, which commits that one, and a COMMIT that
// has nothing left to commit, since an error (1213) has rolled all of it back.
func Durable(status string) bool {
	return slices.ContainsFunc(unfolded(status), func(r string) bool {
		verb, _, _ := strings.Cut(r, " ")
		switch verb {
		case "ERROR", "ROLLBACK", "OK":
			return false
		}
		return verb == "COMMIT" || strings.HasSuffix(r, " I")
	})
}

// Writes counts the writes of a status, as the gate's events have it: those that were
// done and the statements that were refused. What only reads, and what begins and ends
// a transaction, is done by a server that cannot write, too.
func Writes(status string) (done, refused int) {
	for _, r := range unfolded(status) {
		verb, _, _ := strings.Cut(r, " ")
		switch {
		case verb == "ERROR":
			refused++
		case isWrite(verb):
			done++
		}
	}
	return done, refused
}

// fold makes one of neighbours that are the same.
func fold(all []string) (out []string) {
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		if n == 1 {
			out = append(out, all[i])
		} else {
			out = append(out, fmt.Sprintf("%s (%d times)", all[i], n))
		}
		i += n
	}
	return out
}

func unfolded(status string) (out []string) {
	for _, s := range strings.Split(status, "; ") {
		s, _, _ = strings.Cut(s, " (")
		out = append(out, s)
	}
	return out
}
