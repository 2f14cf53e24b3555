package table

import (
	"context"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/repeats/source"
)

// About is what a table's definition says of repeats.
type About struct {
	Names []string // of its columns
	// Unique are the columns of a unique key that is the reference alone: the table cannot
	// have a reference twice.
	Unique bool
	// Beside are the other columns of a unique key that has the reference in it: rows that
	// agree in these, too, cannot be there.
	Beside []string
	Zoned  bool // the time column is an instant
}

func (s *session) about(ctx context.Context) (a About, err error) {
	if err := s.learnColumns(ctx); err != nil {
		return a, err
	}
	a.Names = s.names
	keys, err := s.uniqueKeys(ctx)
	if err != nil {
		return a, err
	}
	for _, key := range keys {
		if !slices.Contains(key, s.Columns.Reference) {
			continue
		}
		if len(key) == 1 {
			a.Unique = true
		} else if a.Beside == nil {
			a.Beside = slices.DeleteFunc(key, func(c string) bool { return c == s.Columns.Reference })
		}
	}
	kind := s.types[s.Columns.Time]
	a.Zoned = s.Dialect == Postgres && kind == "TIMESTAMPTZ" || s.Dialect == MySQL && kind == "TIMESTAMP"
	return a, nil
}

func (s *session) learnColumns(ctx context.Context) error {
	rows, err := s.query(ctx, "SELECT * FROM "+quoteTable(s.Dialect, s.Name)+" WHERE 1 = 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	for _, t := range types {
		s.names = append(s.names, t.Name())
		s.types[t.Name()] = strings.ToUpper(t.DatabaseTypeName())
	}
	for _, name := range columnsOf(s.Columns) {
		if !slices.Contains(s.names, name) {
			return source.Missing("the table", "column", name, s.names)
		}
	}
	return rows.Err()
}

// uniqueKeys are the columns of each unique key that holds for all rows.
func (s *session) uniqueKeys(ctx context.Context) (keys [][]string, err error) {
	rows, err := s.query(ctx, s.uniqueKeysQuery())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var columns string
		if err := rows.Scan(&columns); err != nil {
			return nil, err
		}
		keys = append(keys, strings.Split(columns, "\x1f"))
	}
	return keys, rows.Err()
}

func (s *session) uniqueKeysQuery() string {
	switch s.Dialect {
	case Postgres:
		return `SELECT string_agg(a.attname, chr(31)) FROM pg_index i
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])
WHERE i.indrelid = to_regclass('` + quoteTable(Postgres, s.Name) + `') AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
GROUP BY i.indexrelid`
	case MySQL:
		schema, table := "DATABASE()", s.Name
		if before, after, ok := strings.Cut(s.Name, "."); ok {
			schema, table = "'"+before+"'", after
		}
		return `SELECT group_concat(column_name SEPARATOR '` + "\x1f" + `') FROM information_schema.statistics
WHERE table_schema = ` + schema + ` AND table_name = '` + table + `' AND non_unique = 0 GROUP BY index_name`
	}
	return `SELECT group_concat(c.name, char(31)) FROM pragma_index_list('` + s.Name + `') i, pragma_index_info(i.name) c
WHERE i."unique" = 1 AND i.partial = 0 GROUP BY i.name
UNION ALL SELECT group_concat(name, char(31)) FROM pragma_table_info('` + s.Name + `') WHERE pk > 0 HAVING count(*) > 0`
}
