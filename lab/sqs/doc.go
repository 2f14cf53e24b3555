// Package sqs is an Amazon SQS endpoint inside the process: real HTTP on
// loopback, spoken to by any AWS SDK, with a clock that can be moved.
//
// Hard rule: what a queue does is decided by pure code (account.go, queue.go,
// receive.go, deliveryend.go, fifo.go, deadletter.go …), which is handed the time
// and the new identifiers and does no I/O, starts no goroutine and takes no
// lock. The shell (endpoint.go, longpoll.go, the protocols) holds one lock,
// asks the pure code, and answers.
//
// It speaks both of Amazon's protocols: x-amz-json-1.0 and the older Query
// form with XML answers. Signatures are not looked at.
//
// # What an acknowledgement is
//
// DeleteMessage with the receipt of one receive. On a standard queue the
// receipt of an older receive answers success and deletes nothing; a receipt
// whose visibility is over still deletes, as long as nobody received the
// message since. On a FIFO queue a receipt whose visibility is over is refused.
//
// # Known deviations from Amazon's service
//
// The folder differential holds this endpoint against three emulators that others
// wrote, step by step, and gives a reason for each difference.
//
// An emulator's word is only as good as this list. "Recorded" means that an
// answer of the real service was seen in a published test record, and differs
// from its documentation.
//
//   - Nothing is lost, reordered or delivered twice by itself, and every count
//     is right at once; Amazon promises none of that. Redeliver and SendTwice
//     make the second delivery that Amazon permits.
//   - A receipt handle names its queue, message, copy and receive, and can be
//     read by anyone. Do not read it: Amazon's is opaque.
//   - ChangeMessageVisibility with the receipt of an older receive is refused
//     (InvalidParameterValue), and one whose visibility is over is refused with
//     the documented MessageNotInflight. Recorded: a standard queue accepts both.
//   - ReceiveMessage without messages answers {} in JSON.
//   - A short poll looks at the whole queue; Amazon's samples it.
//   - Waiting long polls are served in the order they came and share what is
//     there: two polls and two messages get one each, also if each asked for
//     ten. One receive never gets two copies of one message.
//   - The length of a long poll is measured by the machine's clock, not by the
//     clock that Advance moves: it is the client's connection that waits.
//   - A receive count belongs to one copy of a message: the second copy that
//     Redeliver or SendTwice makes starts at 1, so that a dead-letter limit
//     cannot hide a forced redelivery.
//   - On a FIFO queue the group's lock holds for such a copy too: it waits for
//     the first copy to be deleted or visible.
//   - On a FIFO queue what comes before a message in flight may be had, also
//     when its group has one in flight. Recorded; the documentation says that
//     nothing of the group is returned.
//   - The group a FIFO receive starts with is the one with the oldest message
//     that may be had; Amazon's order of groups is not documented.
//   - There is no limit on messages in flight (no OverLimit), no throttling, no
//     KMS, no policy or permission, no tags, no message move task, no
//     DeleteQueue: their actions answer InvalidAction, their attributes are kept
//     and do nothing. A ReceiveRequestAttemptId is passed over, as is every
//     parameter that is not known.
//   - PurgeQueue is done when it answers; Amazon takes up to a minute.
//   - GetQueueAttributes shows changed attributes at once; Amazon takes up to a
//     minute.
//   - A queue's URL always names this endpoint, or the proxy that Via has named
//     for the client, whatever Host says; of a URL that is handed in only the
//     last path element counts. There is one
//     account, 000000000000, and one region, us-east-1.
package sqs

// Name and Version name the emulator in every report.
const (
	Name    = "twiceproof lab sqs"
	Version = "1"
)
