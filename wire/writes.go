package wire

import (
	"slices"
	"strings"
)

// Writes counts the writes of a database's status, as the events have it, whichever
// database it is: those that were done and the statements that were refused. What only
// reads, and what begins and ends a transaction, is done by a server that cannot write,
// too.
func Writes(status string) (done, refused int) {
	for _, one := range Split(status) {
		verb, _, _ := strings.Cut(one, " ")
		switch {
		case slices.Contains([]string{"ERROR", "FATAL", "PANIC"}, verb):
			refused++
		case slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "COPY", "LOAD"}, verb):
			done++
		}
	}
	return done, refused
}
