// Package testdb gives each test a real, private database.
//
// Hard rule: imported by tests only, and what it opens is its own: no test sees
// another one's rows, and no database that was there before.
//
// A test process starts one throw-away PostgreSQL and one MariaDB, each on first
// use, and they end when the process does; no TestMain is needed. Each call makes
// a database of its own and drops it when the test ends.
//
// A machine without a server's programs fails the tests that need them, with the
// line that installs them. Whoever wants to go without sets
// TWICEPROOF_SKIP_SERVERS=1; CI never does.
package testdb
