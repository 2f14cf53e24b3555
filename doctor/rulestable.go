package doctor

import (
	"slices"
	"strings"
)

func (e *exam) liveTable(t Table) {
	e.missing(t.Missing)
	if !t.Exists {
		e.add("table.missing", t.Name, "the database has no table %s", t.Name)
		return
	}
	if t.Kind != "table" && t.Kind != "partitioned table" {
		e.add("table.kind", t.Name, "%s is a %s", t.Name, t.Kind)
		return
	}
	e.tableItself(t)
	columns := expectedColumns(t.Dialect)
	e.columns(t, columns)
	e.key(t)
	e.checks(t, columns)
}

func (e *exam) tableItself(t Table) {
	if t.Kind == "partitioned table" {
		e.add("table.partitioned", t.Name, "%s is partitioned", t.Name)
	}
	if t.Temporary {
		e.add("table.unlogged", t.Name, "%s is unlogged or temporary", t.Name)
	}
	if t.Engine != "" && !strings.EqualFold(t.Engine, "InnoDB") {
		e.add("table.engine", t.Name, "its engine is %s", t.Engine)
	}
	for _, name := range t.Triggers {
		e.add("table.trigger", t.Name, "%s acts upon it", name)
	}
	if t.RowSecurity {
		e.add("table.row_security", t.Name, "row security applies to the account %s", t.Account)
	}
	if t.Children > 0 && t.Kind == "table" {
		e.add("table.inherited", t.Name, "%d tables inherit from it", t.Children)
	}
	if len(t.Lacks) > 0 {
		e.add("table.privileges", t.Name, "the account %s may not %s", t.Account, strings.Join(t.Lacks, ", "))
	}
	if t.HeldLong > 0 {
		e.add("records.held_unattended", t.Name, "%d operations have been held for more than a week", t.HeldLong)
	}
}

func (e *exam) columns(t Table, columns []expected) {
	for _, want := range columns {
		i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == want.name })
		if i < 0 {
			e.add("table.column_missing", at(t, want.name), "there is no column %s", want.name)
			continue
		}
		e.column(t, want, t.Columns[i])
	}
	for _, c := range t.Columns {
		known := slices.ContainsFunc(columns, func(want expected) bool { return want.name == c.Name })
		if !known && c.NotNull && c.Default == nil && !c.Made {
			e.add("table.extra_column", at(t, c.Name), "the column %s is NOT NULL and has no default", c.Name)
		}
	}
}

func (e *exam) column(t Table, want expected, c Column) {
	key := isKey(c.Name)
	switch {
	case key && isText(want.kind) != isText(c.Type) && isText(c.Type):
		e.add("key.collation", at(t, c.Name), "it is %s, and compared as text", c.Type)
	case key && !holds(want.kind, c.Type):
		e.add("key.type", at(t, c.Name), "it is %s, not %s", c.Type, want.kind)
	case !holds(want.kind, c.Type):
		e.add("table.column_type", at(t, c.Name), "it is %s, not %s", c.Type, want.kind)
	}
	switch {
	case want.notNull && !c.NotNull && key:
		e.add("key.nullable", at(t, c.Name), "it may be NULL")
	case want.notNull && !c.NotNull:
		e.add("table.column_nullable", at(t, c.Name), "it may be NULL")
	}
	switch {
	case want.fallback == "":
	case c.Default == nil:
		e.add("table.column_default", at(t, c.Name), "it has no default, instead of %s", want.fallback)
	case plainDefault(*c.Default) != plainDefault(want.fallback):
		e.add("table.column_default", at(t, c.Name), "its default is %s, not %s", plainDefault(*c.Default), want.fallback)
	}
	switch {
	case key && c.Alike:
		e.add("key.collation", at(t, c.Name), "its collation takes different keys for one")
	case key && c.Language:
		e.add("key.locale", at(t, c.Name), "it is not sorted by its bytes")
	}
}

func (e *exam) checks(t Table, columns []expected) {
	var there []string
	for _, c := range t.Checks {
		there = append(there, about(c, columns))
	}
	for _, c := range Checks(schemaOf(t.Dialect)) {
		names := about(c, columns)
		missing := slices.ContainsFunc(strings.Split(names, ", "), func(name string) bool {
			return !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == name })
		})
		if !missing && !slices.Contains(there, names) { // a missing column is a finding of its own
			e.add("table.check_missing", t.Name, "there is no CHECK on %s", names)
		}
	}
}

func isKey(column string) bool { return column == "job_type" || column == "operation_key" }

func at(t Table, column string) string { return t.Name + "." + column }
