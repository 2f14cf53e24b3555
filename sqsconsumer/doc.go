// Package sqsconsumer runs a guarded job on an Amazon SQS queue.
//
// Hard rule: a message is deleted only after its operation's completion (or hold)
// is stored, and with the receipt of that very receive. Everything else leaves
// the message on the queue.
//
// # What becomes of a message
//
//   - Completed or held: deleted. A delete that fails, or that the service
//     answers without doing it because the receipt is an older one, brings a
//     redelivery, which finds the record and is deleted with its own receipt.
//   - A live claim: put back until the lease is over, plus jitter, and at most
//     for the 12 hours that Amazon SQS takes.
//   - A live own row, whose remaining time nobody can see: put back from a second
//     on, twice as long by each receive, up to the lease.
//   - Given up: put back until the policy can be followed.
//   - Not reached by its batch: put back at once.
//   - Released, without a key, of other content than the record's, or the database
//     did not answer: left alone. It returns by its visibility timeout, or goes to
//     the dead letters. While the database does not answer, workers rest between
//     two receives; so they do after a commit whose connection was lost, and not
//     after one that the database refused by a code.
//   - The act panics: the claim is given up and the process ends with the panic.
//
// While the act runs the message's visibility is renewed, never beyond the lease;
// when the act renews its claim, the end moves with Operation.Deadline.
// The renewal has ended before the delivery is ended. It needs no permission to
// be right: the claim decides, and a message that becomes visible too early is
// only received once more.
//
// # Dead letters
//
// A wait for a live claim is one receive, and counts towards maxReceiveCount: a
// message whose worker vanishes is received by that worker, by one that waits and
// by one that follows the policy. A maxReceiveCount below 3 is warned of at the
// start. A consumer without the permission to change a message's visibility
// cannot put back: then a live claim costs lease / Visibility + 1 receives. For
// the record's own limits to end a job before the queue does, let maxReceiveCount
// be at least 2 × max_takeovers + max_lookups + 2, or 3 under the policy hold. A
// message that did become a dead letter keeps its record, claimed.
//
// # Batches
//
// With Batch above 1 the claims of one receive are made together, and so are their
// completions. The price: all claims count from the start, and the acts share one
// lease. A worker that dies in the middle leaves every operation of its batch to the
// policy, also those that it had not begun. Looked up, sent again or acted once more
// they are still done (under accept_duplicate that was the one more); hold holds them
// all. Under accept_miss, which would take them all as done, undone, each is claimed
// in its turn.
//
// On a FIFO queue the acts of a group follow its order. None begins after one of its
// group whose message must come again, nor, in the whole batch, after a completion is
// known to have failed. But completions come after the acts, up to a second later:
// what acted until then has acted, also in the same group. Of these, the completed are
// deleted, and the others come again, in order among themselves; where the policy
// then accepts a second effect, it can follow the first effect of a later message.
// Where that matters leave Batch at 1.
//
// # The stop
//
// When Run's context ends, receiving stops at once. A running act has Grace to
// finish, and is then completed and deleted. After Grace its context is cancelled
// with ErrShutdown, the claim is given up and the message put back; an act that
// does not heed its context keeps Run from returning. A message that comes in at
// the very moment of the stop is put back at once; if its answer is cut off on
// the way, it returns by its visibility timeout.
//
// # The client's retries
//
// They are harmless: each call here may be made twice. A receive whose answer was
// lost costs the message one receive and its visibility timeout; on a FIFO queue
// its group waits as long, as it does while a message is put back.
package sqsconsumer
