package change

import (
	"strings"

	"github.com/twiceproof/twiceproof/job"
)

// backfills are two files where the list of what is done comes from outside: that for the
// application, which names all of it, and that for the replay, which names one operation
// of the replay's own. Of an own row the rows are the list, in a replay, too.
func backfills(r Request) []File {
	all := backfillOf(r, r.place("backfill.sql"), "backfill.sql.tmpl", "marks what the old code has done already; fill in each "+unfilled)
	if one := backfillForReplay(r); one.Path != all.Path {
		return []File{all, one}
	}
	return []File{all}
}

func backfillForReplay(r Request) File {
	if r.Job.Effect.Kind == job.OwnRow {
		return File{Path: r.place("backfill.sql")}
	}
	return backfillOf(r, r.place("backfill.replay.sql"), "backfill.replay.sql.tmpl", "the same for one operation of a replay's own")
}

func backfillOf(r Request, name, template, what string) File {
	f := filling{Table: r.Table, Dialect: r.Dialect, Job: r.Job.Type, OwnRow: r.Job.Effect.Kind == job.OwnRow, Key: keyInSQL(r)}
	return File{name, fill(template, f), what}
}

// keyInSQL is the operation key of columns, as the guard writes it.
func keyInSQL(r Request) string {
	column := unfilled
	if r.Dialect == "postgres" {
		column = "CAST(" + unfilled + " AS text)" // replace takes no number there
	}
	part := "replace(replace(" + column + ", '%', '%25'), '/', '%2F')"
	parts := make([]string, len(r.Job.Operation.Key))
	for i := range parts {
		parts[i] = part
	}
	switch {
	case len(parts) == 1:
		return part
	case r.Dialect == "mysql": // where || may be OR
		return "concat(" + strings.Join(parts, ", '/', ") + ")"
	}
	return strings.Join(parts, " || '/' || ")
}
