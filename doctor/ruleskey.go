package doctor

import (
	"slices"
	"strings"
)

// key looks for the index that enforces the guard. Where there is none, the one that is
// nearest to it says why not.
func (e *exam) key(t Table) {
	var good, second []string
	near, reason := "", "key.missing"
	for _, i := range t.Indexes {
		switch why := insteadOfKey(i); {
		case !i.Unique:
			e.extraIndex(t, i)
		case why == "" && len(good) == 0:
			good = append(good, i.Name)
			e.keyCollation(t, i)
		default:
			if hinders(t, i, why) {
				second = append(second, i.Name)
			}
			if why != "other" && reason == "key.missing" {
				near, reason = i.Name, why
			}
		}
	}
	if len(good) == 0 {
		e.noKey(t, near, reason)
		return
	}
	for _, name := range second {
		e.add("key.second", t.Name, "%s is unique, too", name)
	}
}

// hinders says that a unique index beside the key is in the way. What holds whenever the
// key does is in nobody's, and what the database makes up by itself, such as the id of a
// framework's own; but in MySQL ON DUPLICATE KEY takes any of them.
func hinders(t Table, i Index, why string) bool {
	if t.Dialect == "mysql" {
		return true
	}
	made := func(k IndexKey) bool {
		return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == k.Column && madeUp(c) })
	}
	return (why == "other" || why == "key.expression") && !slices.ContainsFunc(i.Keys, made)
}

func madeUp(c Column) bool {
	return c.Made || c.Default != nil && (strings.Contains(*c.Default, "nextval(") || strings.Contains(*c.Default, "uuid"))
}

// insteadOfKey is why an index does not enforce the guard; empty: it does. "other" is
// one that is not even about it.
func insteadOfKey(i Index) string {
	var columns []string
	part := false
	for _, k := range i.Keys {
		columns = append(columns, k.Column)
		part = part || k.Part || k.Column == ""
	}
	has := func(name string) bool { return slices.Contains(columns, name) }
	switch {
	case part:
		return "key.expression"
	case !has("job_type") || !has("operation_key"):
		return "other"
	case len(columns) > 2:
		return "key.wider"
	case i.Invalid:
		return "key.invalid"
	case i.Partial:
		return "key.partial"
	case i.Deferrable:
		return "key.deferrable"
	}
	return ""
}

func (e *exam) noKey(t Table, near, reason string) {
	if near == "" {
		e.add(reason, t.Name, "there is no unique key on job_type and operation_key")
		return
	}
	entry, _ := entryOf(reason)
	e.add(reason, t.Name, "%s: %s", near, entry.What)
}

// keyCollation: an index may compare in another way than its column.
func (e *exam) keyCollation(t Table, i Index) {
	for _, k := range i.Keys {
		told := slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == k.Column && c.Alike })
		if k.Alike && !told {
			e.add("key.collation", at(t, k.Column), "the collation of the index %s takes different keys for one", i.Name)
		}
	}
}

// extraIndex: in PostgreSQL an index on what completion changes makes every completion
// write to all of them.
func (e *exam) extraIndex(t Table, i Index) {
	var changed []string
	for _, k := range i.Keys {
		if slices.Contains([]string{"state", "completed_at", "completion"}, k.Column) {
			changed = append(changed, k.Column)
		}
	}
	if t.Dialect == "postgres" && len(changed) > 0 {
		e.add("table.extra_index", t.Name, "%s is on %s", i.Name, strings.Join(changed, ", "))
	}
}
