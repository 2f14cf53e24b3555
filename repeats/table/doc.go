// Package table reads events from a table of PostgreSQL, MySQL, MariaDB or SQLite, and
// prints the query that finds its repeats.
//
// Hard rule: it only reads. Every statement is a SELECT, in a transaction that the
// database itself keeps from changing rows (a SQLite file is opened read-only), with a
// time limit that the database keeps, too; nothing is set on the session, so that a
// pooler in between hands nothing of it to somebody else; and no text from outside
// becomes part of a statement but names, each quoted.
package table
