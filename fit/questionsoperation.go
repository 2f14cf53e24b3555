package fit

import (
	"slices"

	"github.com/twiceproof/twiceproof/job"
)

// operationQuestions are about what one business operation is.
func operationQuestions() []Question {
	return []Question{
		{
			ID: "identifier", Text: "What identifies one business operation, such as an order number?",
			Why: "A repeat can be recognised only by something that is the same in both deliveries. Tell what it is, never a value.",
			Options: []Option{
				{Value: "in_message", Text: "something that is in the message already"},
				{
					Value: "can_be_added", Text: "something that can be put into the message",
					Note: "Put the identifier into the message first, in every place that enqueues the job, and let the messages without it run out: one without a key is refused.",
				},
				{
					Value: "queue_id", Text: "only the queue's message or job id, or something made anew at each enqueue",
					Stop: "The queue's id and everything that is made at the enqueue (a time, a random value) are new when the same event is enqueued again, so they name a message and not an operation.",
					Mend: "Look for what the business calls it (order, invoice, event, or the due time of a scheduled run), and put that into the message.",
				},
				{
					Value: "none", Text: "nothing, and nothing can be defined",
					Stop: "No stable identifier can be defined for the operation, so nobody, and no database, could say which of two deliveries is a repeat.",
					Mend: "Let whoever makes the event give it an identifier at the moment it comes to be, such as the id of a row written then.",
				},
			},
		},
		{
			ID: "key", Optional: true, Text: "Where in the message does it stand?",
			Why:   "A place such as body.order.id, kwargs.order_id or args[0]; several with commas. The name of the field, never a value.",
			asked: func(a Answers) bool { return hasIdentifier(a) && knownQueue(a) }, check: checkKey,
		},
		{
			ID: "fingerprint", Optional: true, Text: "Which other fields must not differ between two deliveries of one operation?",
			Why: "Such as its amount: body.amount_cents, kwargs.amount_cents or args[1]; several with commas. The same key with another amount is then refused, " +
				"and not taken for a repeat. Leave it out if there is none.",
			asked: func(a Answers) bool { return hasIdentifier(a) && knownQueue(a) }, check: checkFingerprint,
		},
		{ID: "repeat", Optional: true, Text: "What counts as a repeat, in plain words?", Why: "Such as: one receipt for each order. You will confirm it in writing.", asked: hasIdentifier},
		{
			ID: "enqueuers", Text: "How many places in the code put this job on the queue?",
			Why: "Two places that understand the operation differently make duplicates which no key can tell from two operations.",
			Options: []Option{
				{Value: "one", Text: "one"},
				{Value: "agree", Text: "several, and they mean the same by one operation"},
				{
					Value: "disagree", Text: "several, and they disagree on what one operation is",
					Stop: "Two enqueuers disagree on what one operation is. Which of their two messages is the repeat is a business decision, and no key can take it.",
					Mend: "Decide with whoever owns both what one operation is (one receipt for each order, or for each payment?), let both name it alike, and answer again.",
				},
			},
		},
		{
			ID: "longest_run", Optional: true, Text: "How long does the job run at most, when nothing is wrong?",
			Why: "The lease is made of it: three times as long. Such as 40s or 5m; leave it out if nobody knows.", check: checkRun,
		},
	}
}

func hasIdentifier(a Answers) bool {
	return a["identifier"] == "in_message" || a["identifier"] == "can_be_added"
}

func knownQueue(a Answers) bool {
	return slices.Contains([]job.Queue{job.SQS, job.Celery, job.Sidekiq}, job.Queue(a["queue"]))
}
