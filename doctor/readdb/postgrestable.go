package readdb

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/twiceproof/twiceproof/doctor"
)

// kinds are PostgreSQL's letters for what is no plain table.
var kinds = map[string]string{
	"r": "table", "p": "partitioned table", "v": "view", "m": "materialized view", "f": "foreign table",
}

const tableQuery = `
SELECT c.oid, c.relkind::text, c.relpersistence::text <> 'p',
       (SELECT count(*) FROM pg_inherits i WHERE i.inhparent = c.oid),
       c.relrowsecurity AND NOT (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles r WHERE r.rolname = who.name)
         AND (c.relforcerowsecurity OR NOT pg_has_role(who.name, c.relowner, 'MEMBER')),
       who.name,
       array_remove(ARRAY[
         CASE WHEN NOT has_table_privilege(who.name, c.oid, 'SELECT') THEN 'SELECT' END,
         CASE WHEN NOT has_table_privilege(who.name, c.oid, 'INSERT') THEN 'INSERT' END,
         CASE WHEN NOT has_table_privilege(who.name, c.oid, 'UPDATE') THEN 'UPDATE' END], NULL)
FROM pg_class c, (SELECT coalesce(nullif($2::text, ''), current_user::text) AS name) AS who
WHERE c.oid = to_regclass($1::text)`

func readPostgresTable(ctx context.Context, q querier, live *doctor.Table, role string) error {
	var oid uint32
	var kind string
	err := q.QueryRow(ctx, tableQuery, live.Name, role).Scan(&oid, &kind, &live.Temporary, &live.Children, &live.RowSecurity, &live.Account, &live.Lacks)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	live.Exists, live.Kind = true, kinds[kind]
	if live.Kind == "" {
		live.Kind = "relation of the kind " + kind
	}
	for _, read := range []func(context.Context, querier, uint32, *doctor.Table) error{readColumns, readIndexes, readChecks, readTriggers} {
		if err := read(ctx, q, oid, live); err != nil {
			return err
		}
	}
	return nil
}

// A collation of the database's own is told by what the database was made with.
const columnQuery = `
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '' OR a.attgenerated <> '',
       NOT coalesce(l.collisdeterministic, true),
       l.oid IS NOT NULL AND NOT coalesce(
         CASE l.collprovider::text WHEN 'd' THEN db.provider IN ('c', 'b') AND db.collate IN ('C', 'POSIX', 'C.UTF-8')
                                   WHEN 'b' THEN true ELSE l.collcollate IN ('C', 'POSIX') END, false)
FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN pg_collation l ON l.oid = a.attcollation,
(SELECT coalesce(to_jsonb(p)->>'datlocprovider', 'c') AS provider, coalesce(p.datcollate, '') AS collate FROM pg_database p WHERE p.datname = current_database()) AS db
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`

func readColumns(ctx context.Context, q querier, oid uint32, live *doctor.Table) error {
	rows, err := q.Query(ctx, columnQuery, oid)
	if err != nil {
		return err
	}
	var c doctor.Column
	_, err = pgx.ForEachRow(rows, []any{&c.Name, &c.Type, &c.NotNull, &c.Default, &c.Made, &c.Alike, &c.Language}, func() error {
		live.Columns = append(live.Columns, c)
		return nil
	})
	return err
}

const indexQuery = `
SELECT x.relname, i.indisunique, NOT (i.indisvalid AND i.indisready), i.indpred IS NOT NULL, NOT i.indimmediate, coalesce(a.attname, ''), NOT coalesce(l.collisdeterministic, true)
FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
CROSS JOIN LATERAL generate_series(0, i.indnkeyatts - 1) AS k(n)
LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.n] AND a.attnum > 0
LEFT JOIN pg_collation l ON l.oid = i.indcollation[k.n]
WHERE i.indrelid = $1 ORDER BY i.indisprimary DESC, x.relname, k.n`

func readIndexes(ctx context.Context, q querier, oid uint32, live *doctor.Table) error {
	rows, err := q.Query(ctx, indexQuery, oid)
	if err != nil {
		return err
	}
	var i doctor.Index
	var k doctor.IndexKey
	_, err = pgx.ForEachRow(rows, []any{&i.Name, &i.Unique, &i.Invalid, &i.Partial, &i.Deferrable, &k.Column, &k.Alike}, func() error {
		addKey(live, i, k)
		return nil
	})
	return err
}

// addKey: rows of one index come one after another.
func addKey(live *doctor.Table, i doctor.Index, k doctor.IndexKey) {
	if n := len(live.Indexes); n == 0 || live.Indexes[n-1].Name != i.Name {
		live.Indexes = append(live.Indexes, i)
	}
	last := &live.Indexes[len(live.Indexes)-1]
	last.Keys = append(last.Keys, k)
}

func readChecks(ctx context.Context, q querier, oid uint32, live *doctor.Table) error {
	rows, err := q.Query(ctx, "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1 AND contype = 'c'", oid)
	if err != nil {
		return err
	}
	var text string
	_, err = pgx.ForEachRow(rows, []any{&text}, func() error {
		live.Checks = append(live.Checks, doctor.Checks(text)...)
		return nil
	})
	return err
}

func readTriggers(ctx context.Context, q querier, oid uint32, live *doctor.Table) error {
	rows, err := q.Query(ctx, `
SELECT 'the trigger ' || tgname FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal AND tgenabled <> 'D'
UNION ALL SELECT 'the rule ' || rulename FROM pg_rewrite WHERE ev_class = $1 AND rulename <> '_RETURN' AND ev_enabled <> 'D' ORDER BY 1`, oid)
	if err != nil {
		return err
	}
	live.Triggers, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return err
}
