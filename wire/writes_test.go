package wire_test

import (
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// The statuses of PostgreSQL, then those of MySQL.
func TestWrites(t *testing.T) {
	for status, want := range map[string][2]int{
		"INSERT 0 1 I": {1, 0}, "BEGIN T": {}, "SELECT 1 I": {}, "ROLLBACK I": {}, "": {},
		"BEGIN; UPDATE 0; COMMIT I": {1, 0}, "ERROR 53100 E": {0, 1}, "FATAL 57P01": {0, 1},
		"INSERT 0 1; ERROR 23505 I": {1, 1}, "DELETE 2 (3 times) I": {1, 0},

		"INSERT 1 I": {1, 0}, "OK": {}, "BEGIN T; UPDATE 0 T; COMMIT I": {1, 0}, "ERROR 1213 40001": {0, 1},
		"INSERT 1 I; ERROR 1062 23000": {1, 1}, "DELETE 2 T (3 times)": {1, 0}, "REPLACE 2 I": {1, 0},
	} {
		if done, refused := wire.Writes(status); [2]int{done, refused} != want {
			t.Errorf("%q: %d done, %d refused, want %v", status, done, refused, want)
		}
	}
}
