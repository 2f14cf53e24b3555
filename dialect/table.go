package dialect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// longestName: PostgreSQL cuts off what is longer, and so takes two names for one. MySQL 8
// has room for 64 characters, and needs seven of them for the names that it gives to the
// table's CHECKs, such as idempotency_records_chk_13.
func longestName(dialect string, ofTable bool) int {
	if dialect == "mysql" && ofTable {
		return 57
	}
	return 63
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkTable takes a table's name, or that and one before it: of a schema, of a database in
// MySQL. A word of SQL is refused on both sides of the point: after it some databases would
// take some of them.
func checkTable(dialect, table string) error {
	parts := strings.Split(table, ".")
	for i, part := range parts {
		longest := longestName(dialect, i == len(parts)-1)
		switch {
		case len(parts) > 2, !plainName.MatchString(part):
			return fmt.Errorf("table %q is not a plain identifier", table)
		case len(part) > longest:
			return fmt.Errorf("table %q is longer than the %d bytes that %s has room for", table, longest, dialect)
		case isReserved(dialect, part):
			return fmt.Errorf("table %q: %s is a reserved word of %s", table, part, dialect)
		}
	}
	return nil
}

// isReserved: the words are those that a database's own tests refuse as a table's name. An
// unknown dialect has none.
func isReserved(dialect, name string) bool {
	words, _ := files.ReadFile(dialect + "/reserved.txt")
	return slices.Contains(strings.Fields(string(words)), strings.ToUpper(name))
}
