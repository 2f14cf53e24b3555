// Package dialect holds the SQL of the idempotency record: the table and one
// statement a file, for each database. The guards in every language run these same
// texts; the code here loads them, writes the table's name into them, and gives a
// driver its kind of parameters. It also says what the databases' codes mean, by which
// guard and admin judge an error.
//
// Hard rule: every statement after claim that writes shows the claim token in its WHERE
// (but repeat, a count that is nobody's, and prune, which deletes what is completed),
// and the lease is judged by the database's clock, read once in the statement.
//
// The clock in PostgreSQL is statement_timestamp(): the arrival of the
// statement, the same value wherever it stands in it, and taken before any wait
// for a row lock. clock_timestamp() would move during such a wait, so that a
// claim could look stale that was live when the statement was sent.
//
// In MySQL and MariaDB it is UTC_TIMESTAMP(6): one instant within a statement, that
// of its begin, whatever time zone the connection is set to. SQLite's 'now' stays the
// same for a statement as well.
package dialect
