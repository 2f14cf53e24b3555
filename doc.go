// Package twiceproof makes one background job safe to run twice.
//
// A queue delivers a message at least once. The guard gives each business
// operation one idempotency record in the application's own database, with a
// unique key, and uses it as claim, act, complete:
//
//	          claim
//	(nothing) ─────► claimed ──complete──► completed
//	                  │   ▲                    ▲
//	         release, │   │ takeover of a      │ complete by the owner,
//	         give_up, │   │ stale claim        │ or a person's decision
//	     end of lease ▼   │                    │
//	                 stale claim ──hold──►   held
//	                      ▲                    │
//	                      └── a person's "run again"
//
// A delivery that finds the operation completed does nothing and is
// acknowledged. One that finds a live claim is put back on the queue. One that
// finds a stale claim, whose worker may have died between its effect and its
// completion, follows the policy that the job's owner chose in writing.
//
// Hard rule: every write after a claim shows the claim's token in its WHERE (but the
// count of repeats, which is nobody's, and admin's deleting of old completed records),
// and nobody decides by a lock, a clock or the memory of this process.
//
// # What holds
//
// For one job type, however often a message is delivered, the effect happens once
// when it is a row in the application's own database (RunTx, always); a call to a
// service that accepts a reference (policy resend, while the service remembers it);
// or a call that can be looked up (policy lookup, provided that no worker acts after
// its deadline and that the service finishes and shows a call within the settle
// time). For any other effect the policy bounds the harm: hold leaves the operation
// for a person as soon as nobody can tell, accept_duplicate permits one more effect,
// accept_miss one missing. This holds while the database keeps what it has committed
// and the record is not deleted. The unique key in the database enforces it.
//
// # Each failure
//
//   - The worker dies after the claim: the claim becomes stale at the end of its
//     lease, by the database's clock, and the next delivery follows the policy.
//   - The reply of a statement is lost: it is sent again; the claim token in the
//     record tells that the claim is this worker's own.
//   - The reply to the COMMIT of an own row is lost: nobody can tell, so nothing is
//     acknowledged, and the redelivery finds the record, or acts.
//   - The worker was thought dead and comes back: its token no longer matches,
//     nothing changes but late_finish_at, and the caller is told Lost.
//   - The effect's outcome is unknown (an error that is not known to mean "not
//     applied", a panic, a cancelled context): the claim is given up as unknown,
//     and the next delivery follows the policy.
//   - The database cannot be reached: nothing is acted, or the completion is
//     missing and the claim becomes stale; the message stays on the queue.
//
// # Databases
//
// PostgreSQL, MySQL with MariaDB, and SQLite. In MySQL the guard refuses a connection on
// which this would not hold: with autocommit off, with READ UNCOMMITTED, or on a table
// without its unique key, with another one beside it, or on an engine without
// transactions. It asks once, over its first connection.
//
// # Not promised
//
// A worker that is alive but stopped between Operation.Check and its call can
// still make the call later. A service that applies a call after the settle time,
// or forgets it. Commits that the database acknowledged and then lost, and steps
// of its clock. A job body that makes more than one effect or retries inside, or that
// ends RunTx's transaction by itself and writes on. A claim on a pooled connection on
// which the application has left a transaction open. Keys that a PostgreSQL database
// whose encoding is not UTF8 writes as one.
package twiceproof
