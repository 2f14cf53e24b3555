// Package differential has no code, only the tests that hold the lab's SQS endpoint
// against emulators that others wrote: fauxqs, ElasticMQ and moto.
//
// Hard rule: a difference that is not listed with its reason fails, and so does a
// listed one that no longer occurs.
//
// The scenarios are text, in testdata. Each takes its steps on a queue of its
// own; what each step shows is written under it, in words that are the same
// everywhere: m1 is the message that was seen first, r1 the receipt, n the
// receive count, and an error is its code.
//
//	== a stale receipt deletes nothing
//	delete q r1
//	elasticmq: ReceiptHandleIsInvalid [unknown-receipt]
//	counts q
//	= visible 0, in flight 1, delayed 0
//
// The line with "=" is what ours does in both protocols; "ok" is left out. A line
// with an emulator's name is what that one does instead, in both of its protocols
// or in the one that is named, and in brackets why: reasons_test.go says it, and
// who does what Amazon's documentation says.
//
// Emulators have no clock that can be moved: they take "wait" in real time, ours by a
// clock of its own. So what needs the five minutes of deduplication to end is not compared;
// nor is anything that depends on how fast a step is. No step may need to happen
// within a timeout that runs, but for those of two seconds and more.
//
// install.sh installs the emulators. A normal run compares the first two that
// are there, TWICEPROOF_FULL=1 all three. After a change:
//
//	go test ./lab/sqs/differential -run TestOurs -update
//	TWICEPROOF_FULL=1 go test ./lab/sqs/differential -run TestEmulators -update
//
// writes what was seen; a new difference gets empty brackets, and fails until it
// has its reason.
package differential
