// Package pgbouncer runs a throw-away PgBouncer from an installed binary
// (version 1.12 or later) before a throw-away PostgreSQL, on a random loopback
// port, in a private folder.
//
// Hard rule: nothing of it outlives its owner, however that ends.
//
// It promises what lab/postgres does, of itself: it ends with its owner, is
// reachable from this machine only and without a password, several run at once,
// and it is ready when it has answered. It has every database that its server
// has, also those made later. Its server is the caller's to stop.
//
// What is not set here has PgBouncer's own default, as in most installations:
// a startup parameter such as statement_timeout is refused, and prepared
// statements outlive a transaction only where the version's default says so.
package pgbouncer
