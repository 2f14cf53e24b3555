package table_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/testdb"
	"github.com/twiceproof/twiceproof/repeats/source"
	"github.com/twiceproof/twiceproof/repeats/table"
)

// The query that is printed finds the repeats, look-alikes apart, on each server.
func TestQuery(t *testing.T) {
	for _, s := range servers(t) {
		t.Run(s.dialect, func(t *testing.T) {
			text, err := table.Query(s.dialect, "charges", source.Columns{Reference: "ref", Time: "naive"})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text, " by the tests") {
				t.Error("it is not said that it was run")
			}
			rows, err := s.db.Query(text)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			var found []string
			for rows.Next() {
				var reference string
				var number, events int
				var before, at any
				var gap float64
				if err := rows.Scan(&reference, &number, &events, &before, &at, &gap); err != nil {
					t.Fatal(err)
				}
				found = append(found, fmt.Sprintf("%s %d of %d after %.2f", reference, number, events, gap))
			}
			if err := rows.Err(); err != nil || !slices.Equal(found, []string{"A 2 of 2 after 30.38"}) {
				t.Errorf("%q, %v", found, err)
			}
		})
	}
}

func TestQueryOfNoDialect(t *testing.T) {
	for dialect, want := range map[string]string{"postgre": "did you mean postgres?", "oracle": "postgres, mysql, sqlite, duckdb, trino, bigquery"} {
		_, err := table.Query(dialect, "charges", source.Columns{Reference: "ref", Time: "at"})
		if e, ok := err.(*source.Error); !ok || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v", dialect, err)
		}
	}
	for dialect, want := range map[string]string{table.Trino: "Parse-checked only", table.BigQuery: "Parse-checked only", table.DuckDB: "Run on DuckDB"} {
		text, err := table.Query(dialect, "app.charges", source.Columns{Reference: "ref", Time: "at"})
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", dialect, err, text)
		}
	}
}

// python runs a program, with the query on its standard input, in the environment of
// `make bin/python`.
func python(t *testing.T, program, query string) string {
	t.Helper()
	const interpreter = "../../bin/python/bin/python"
	testdb.Needs(t, interpreter, "make bin/python, which has DuckDB and sqlglot")
	c := exec.CommandContext(t.Context(), interpreter, "-c", program)
	c.Stdin = strings.NewReader(query)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, query)
	}
	return strings.TrimSpace(string(out))
}

func TestQueryOnDuckDB(t *testing.T) {
	text, err := table.Query(table.DuckDB, "charges", source.Columns{Reference: "ref", Time: "at"})
	if err != nil {
		t.Fatal(err)
	}
	const run = `import duckdb, sys
c = duckdb.connect()
c.execute("CREATE TABLE charges (ref VARCHAR, \"at\" TIMESTAMP)")
c.execute("INSERT INTO charges VALUES ('A', '2026-03-04 05:06:07.123456'), ('A', '2026-03-04 05:06:37.5'), ('a', '2026-03-04 05:06:08'), (NULL, '2026-03-04 05:06:09')")
for r in c.execute(sys.stdin.read()).fetchall(): print(r[0], r[1], r[2], round(r[5], 2))`
	if got := python(t, run, text); got != "A 2 2 30.38" {
		t.Errorf("%s", got)
	}
}

// The positive control is a query with a word too many.
func TestQueriesParse(t *testing.T) {
	for _, dialect := range table.Dialects {
		text, err := table.Query(dialect, "app.charges", source.Columns{Reference: "ref", Time: "at"})
		if err != nil {
			t.Fatal(err)
		}
		parse := `import sqlglot, sys
try:
    print(len(sqlglot.parse(sys.stdin.read(), read="` + dialect + `", error_level=sqlglot.ErrorLevel.RAISE)))
except sqlglot.errors.ParseError:
    print("refused")`
		if got := python(t, parse, text); got != "1" {
			t.Errorf("%s: %s", dialect, got)
		}
		if got := python(t, parse, strings.Replace(text, "FROM events", "FROM events WHERE WHERE", 1)); got != "refused" {
			t.Errorf("%s, the control: %s", dialect, got)
		}
	}
}
