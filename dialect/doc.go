// Package dialect holds the SQL of the idempotency record: the table and one
// statement a file, for each database. It is data only; the guards in every
// language run these same texts.
//
// Hard rule: every statement after claim shows the claim token in its WHERE,
// and the lease is judged by the database's clock, read once in the statement.
//
// The clock in PostgreSQL is statement_timestamp(): the arrival of the
// statement, the same value wherever it stands in it, and taken before any wait
// for a row lock. clock_timestamp() would move during such a wait, so that a
// claim could look stale that was live when the statement was sent.
package dialect
