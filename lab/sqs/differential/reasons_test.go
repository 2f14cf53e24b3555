package differential_test

// reason is why an emulator differs from ours.
type reason struct {
	right verdict
	text  string
}

// verdict says who does what Amazon's documentation says, here in our words.
type verdict string

const (
	ours   verdict = "ours"
	theirs verdict = "theirs" // and why ours does not: lab/sqs/doc.go
	open   verdict = "open"   // the documentation does not say
)

// reasons are why emulators differ, by the name that stands in brackets in the
// scenarios. A step that follows from an earlier difference (a number, a count)
// has its reason.
var reasons = map[string]reason{
	// Receipts.
	"unknown-receipt": {ours, "DeleteMessage by an old receipt succeeds, though the message may stay, and deleting again is no error; " +
		"the emulator knows only receipts of messages that are there and were not received since"},
	"stale-receipt-holds": {ours, "A delete must show the receipt of the newest receive, an older one may delete nothing; " +
		"here every receipt that was ever given works, which hides a delete that does nothing"},
	"any-receipt-will-do": {ours, "ReceiptHandleIsInvalid is the documented answer to what is no receipt of this queue; here every text is answered with success"},
	"zero-spoils-the-receipt": {ours, "A receipt is the newest one until the message is received again, and a change to zero is no receive; " +
		"here the message comes back after a delete that succeeded"},
	"fifo-late-delete": {ours, "A consumer of a FIFO queue that tries to delete after its visibility timeout gets an error; " +
		"all three accept the delete"},
	"fifo-stale-delete":  {ours, "On a FIFO queue a delete after the visibility timeout is an error; here an old receipt is answered with success, and moto deletes the message by it"},
	"code-of-stale-fifo": {open, "That it fails is documented, the code is not; ours has the one that the service is known for (the receipt handle has expired)"},
	"change-when-over": {open, "MessageNotInflight is documented for a message that is not in flight, but of the late change it is only said that it might fail; " +
		"the emulators take the message back, as the real service was seen to do (lab/sqs/doc.go)"},
	"code-of-change": {open, "The action's errors are listed, not which of them a deleted message or a stale receipt gets; " +
		"ours has the one that the service is known for (not available for visibility timeout change)"},
	"code-of-empty-receipt": {open, "The receipt is a required parameter; whether an empty one is missing or invalid is not said"},

	// Timeouts, delays, waiting.
	"no-check-of-timeouts": {ours, "A visibility timeout is 0 to 43,200 seconds; here others are taken, and hide the message or change it"},
	"no-twelve-hours": {ours, "More than what is left of the twelve hours since the receive is an error and is not cut down; " +
		"here each change has twelve hours of its own"},
	"no-check-of-delay": {ours, "A message's delay is 0 to 900 seconds; here others are taken"},
	"zero-later":        {ours, "A timeout of zero leaves the message visible; here it is counted as in flight until the next receive"},
	"lock-wakes-nobody": {ours, "A long poll returns as soon as there is a message for it; here the end of a group's lock is not noticed"},
	"poll-ends-early": {ours, "Without a message the call returns when its wait is over; " +
		"here a poll that was woken for what another got returns at once with nothing"},

	// Dead letters.
	"count-of-the-move": {open, "A message is moved when its receive count would exceed the limit; whether the attempt counts is not said. Two of three and ours: no"},
	"no-check-of-redrive": {ours, "The limit is 1 to 1,000, and a dead-letter queue has the type of its source and must be there; " +
		"here the policy is taken as it is"},
	"code-of-redrive": {open, "That it is refused is documented, the code is not"},
	"dead-letters-wake-nobody": {ours, "A long poll returns as soon as there is a message for it; " +
		"here one on the dead-letter queue is not told of a message that died"},
	"nothing-behind-the-dead": {ours, "A group is locked only while its messages are invisible; here the receive that moves a dead message does not look at the next one"},
	"dead-with-another-id":    {open, "What a message keeps when it dies is not said of its deduplication id; here it gets a new one"},

	// FIFO queues.
	"one-of-a-group": {ours, "A receive may return several messages of a group, in order, when so many are asked; here it returns one, and numbers differ from there on"},
	"lock-of-later-messages": {theirs, "While messages of a group are invisible no more of it are returned: also not an earlier one. " +
		"ElasticMQ does as ours: what is before the message that is in flight may be had"},
	"duplicate-has-an-id": {open, "A duplicate is accepted and not delivered; whether it is answered with the first message's id is not said. Two of three and ours: yes"},
	"forgets-what-was-received": {ours, "The deduplication id is kept in mind also after the message was received and deleted; " +
		"here a message that is no longer waiting is forgotten"},
	"no-scope":            {ours, "With the scope messageGroup an id counts for its group only; here it counts for the queue"},
	"batch-falls-whole":   {ours, "Each entry of a batch succeeds or fails by itself; here one without a group fails the batch"},
	"sequence-of-a-batch": {ours, "A message has one sequence number; here the answer to the batch has others than the receive"},
	"no-check-of-ids":     {ours, "Group and deduplication ids have up to 128 characters, alphanumeric and punctuation; here any will do"},
	"dedup-on-standard": {ours, "A deduplication id is for FIFO queues only; here a standard queue takes it, " +
		"and fauxqs does not give a standard queue's group id back, as it does since there are fair queues"},

	// Messages.
	"no-check-of-contents":   {ours, "A body has one character at least, and of the characters only those that XML knows; here any is taken, and over Query nobody can read the answer"},
	"no-check-of-length":     {ours, "MaximumMessageSize limits what the queue accepts; here the attribute is not known"},
	"no-check-of-attributes": {ours, "An attribute has a type (String, Number or Binary), a value that is not empty and no reserved prefix; here it is not looked at"},
	"crash":                  {ours, "An error of the sender is answered with a code and status 400; here the server fails"},
	"code-of-contents":       {ours, "InvalidMessageContents and InvalidParameterValue are for messages; InvalidAttributeValue is for a queue's attributes"},
	"attributes-unasked":     {ours, "Message attributes are answered by name, or All; here also those that were not asked for"},
	"prefix-with-its-dot":    {open, "All attributes that start with a prefix can be asked for, with bar.* as example; whether the dot is a part of the prefix is not said. moto and ours: no"},
	"no-check-of-batch":      {ours, "A batch has one entry at least, and its ids are distinct, of letters, digits, hyphens and underscores; here this is not looked at"},
	"code-of-ranges":         {ours, "InvalidAttributeValue is for a queue's attributes, not for the numbers of a receive"},

	// Actions.
	"not-spoken-here": {theirs, "The action is Amazon's; ours does not speak it (lab/sqs/doc.go) and says InvalidAction, which nobody takes for success"},

	// Queues.
	"purge-at-once":           {ours, "A second PurgeQueue within 60 seconds is PurgeQueueInProgress; here it succeeds"},
	"no-check-of-names":       {ours, "A name has letters, digits, hyphens and underscores, and .fifo at its end if and only if the queue is FIFO; here others are taken"},
	"code-of-names":           {ours, "InvalidAttributeName is for attributes, and the name of a queue is none"},
	"no-check-of-settings":    {ours, "Attributes have documented names and ranges, and some are for FIFO queues only; here others are taken"},
	"unknown-attribute-asked": {ours, "InvalidAttributeName is documented for GetQueueAttributes; here unknown names are left out"},
	"attributes-not-kept":     {ours, "These attributes are answered with their defaults; here they are not known"},
}
