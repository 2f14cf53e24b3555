// Package guardpgx is the guard of an own row on pgx, for one round trip less on
// each side of the body. Claim, effect and completion share one transaction, as in
// twiceproof.Guard.RunTx.
//
// Hard rule: nothing is acknowledged before the tag COMMIT and then an idle
// ReadyForQuery were read; a connection never goes back to the pool inside a
// transaction.
//
// What the guard adds travels with what a transaction needs anyway:
//
//	one round trip    BEGIN, claim
//	the body's own    INSERT …
//	one round trip    result (if set), seal, COMMIT
//
// So a guarded job costs the three round trips of BEGIN, INSERT, COMMIT.
//
// # When COMMIT is proved
//
// The last round trip is one pipeline up to one Sync (or, in the simple protocol,
// one query). PostgreSQL leaves out everything after a statement that failed, up to
// the Sync, so a seal that fails keeps COMMIT from being run. The operation counts
// as completed only when COMMIT was answered by the tag COMMIT and the server then
// said that it is in no transaction.
//
// It counts as not committed only when that is certain: nothing was sent; a
// statement before COMMIT was refused; COMMIT was refused, and the server then said
// that it is ready; or COMMIT was answered by the tag ROLLBACK. Everything else, a
// lost connection above all and also a FATAL error (a pooler writes one for a server
// that it has lost), means that nobody can tell, and a redelivery finds out.
//
// # What the body gets
//
// A pgx.Tx, so that whatever takes one (generated queries, a queue that enqueues
// within a transaction) works unchanged. What of it is the guard's is refused:
//
//   - Commit and Rollback return ErrGuardsTransaction and end nothing. A body that
//     asked for Rollback and then returns nil contradicts itself: nothing is
//     committed. One that asked for Commit and returns nil is committed.
//   - Begin makes a savepoint; Commit and Rollback of what it returns are real.
//   - When the body has returned, every method returns pgx.ErrTxClosed.
//   - Conn and LargeObjects lead to the connection itself, which is the body's only
//     until it returns. As with a transaction of a pool, nothing enforces that.
//
// A body that ends the transaction by SQL text is caught by the seal.
//
// # Connections
//
// A connection goes back to the pool only outside a transaction and with nothing
// unread; any other is closed. Rows that the body left open keep the transaction
// from being committed. One job needs one connection at a time, so a pool of one
// is enough, as long as the body does not ask the pool for another.
//
// The guard keeps no state in the session, and works in every exec mode of pgx. In
// cache_statement and cache_describe the first job on a connection also sends the
// texts, in round trips of its own, and in describe_exec every job does, as pgx does
// for the body's own statements.
//
// Behind PgBouncer in transaction mode take exec, simple_protocol or cache_describe.
// The other two prepare a statement on one server connection and then meet another
// one: most deliveries in cache_statement, the default, and many in describe_exec end
// in an error, and their messages stay on the queue. What describe_exec executes can
// even be another worker's statement (docs/databases.md).
package guardpgx
