package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/change"
	"github.com/twiceproof/twiceproof/dialect"
	"github.com/twiceproof/twiceproof/internal/golden"
)

// What a database says its words are; SQLite says none.
var itsWords = map[string]string{
	"postgres": "SELECT upper(word) FROM pg_get_keywords()",
	"mysql":    "SELECT upper(word) FROM information_schema.KEYWORDS",
}

// sqliteWords are those of https://sqlite.org/lang_keywords.html that the others do not have.
const sqliteWords = "ABORT ATTACH AUTOINCREMENT CONFLICT DETACH FAIL GLOB INDEXED ISNULL NOTNULL PLAN PRAGMA QUERY RAISE REINDEX VIRTUAL"

// mysql8Words are those that MySQL 8 reserves and MariaDB does not, by its manual.
const mysql8Words = `CUBE CUME_DIST DENSE_RANK EMPTY FIRST_VALUE FUNCTION GENERATED GET GROUPING GROUPS IO_AFTER_GTIDS IO_BEFORE_GTIDS JSON_TABLE LAG
	LAST_VALUE LEAD MANUAL NTH_VALUE NTILE OF OPTIMIZER_COSTS PARALLEL PERCENT_RANK QUALIFY RANK STORED SYSTEM TABLESAMPLE VIRTUAL`

// Every word of every database either does as the table's name, in all statements of a
// database, or is refused there.
func TestReservedWords(t *testing.T) {
	words, databases := strings.Fields(sqliteWords+" "+mysql8Words), map[string]*database{}
	for _, d := range dialect.Names() {
		frameworks[change.SQL].need(t, d)
		databases[d] = newDatabase(t, d)
		if query := itsWords[d]; query != "" {
			words = append(words, databases[d].texts(query)...)
		}
	}
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || w == "" })
	slices.Sort(words)
	words = slices.Compact(words)
	for d, db := range databases {
		refused := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !db.refuses(w) })
		if d == "mysql" {
			refused = append(refused, strings.Fields(mysql8Words)...)
			slices.Sort(refused)
		}
		golden.Check(t, "../dialect/"+d+"/reserved.txt", []byte(strings.Join(slices.Compact(refused), "\n")+"\n"))
	}
}

// refuses tells whether a table cannot have this name, without quotes, wherever the guard's
// statements have it. There is none: another error than that of the syntax is not about the name.
func (d *database) refuses(table string) bool {
	d.t.Helper()
	for _, s := range []string{"INSERT INTO %s (a) VALUES (1)", "SELECT a FROM %s WHERE a = 1", "UPDATE %[1]s SET a = %[1]s.a", "DELETE FROM %s WHERE a = 1"} {
		_, err := d.ExecContext(d.t.Context(), fmt.Sprintf(s, table))
		if err == nil {
			d.t.Fatalf("there is a table %s", table)
		}
		if strings.Contains(err.Error(), "syntax") {
			return true
		}
	}
	return false
}
