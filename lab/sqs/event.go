package sqs

import "time"

// Kind says what happened to a message.
type Kind string

// The kinds of events.
const (
	Sent              Kind = "sent"
	SentDuplicate     Kind = "sent_duplicate" // FIFO: answered with the first message's id, nothing added
	Redelivered       Kind = "redelivered"    // a copy made by Redeliver or SendTwice
	DelayOver         Kind = "delay_over"
	Received          Kind = "received"
	Deleted           Kind = "deleted"
	DeleteStale       Kind = "delete_stale"    // the receipt of an older receive: success, nothing deleted
	DeleteRepeated    Kind = "delete_repeated" // that copy was gone already: success
	DeleteRefused     Kind = "delete_refused"  // FIFO: the receipt has expired
	VisibilityChanged Kind = "visibility_changed"
	VisibilityRefused Kind = "visibility_refused"
	VisibilityOver    Kind = "visibility_over"
	DeadLettered      Kind = "dead_lettered" // left this queue for its dead-letter queue
	ArrivedDead       Kind = "arrived_dead"  // came into this queue as a dead letter
	RetentionOver     Kind = "retention_over"
	Purged            Kind = "purged"
	Gone              Kind = "gone" // by Lose or Remove
)

// Event is one thing that happened in a queue. Seq counts from 1 in each queue;
// At is by the endpoint's clock, and for the end of a timeout is that end, not
// the later moment when somebody looked.
type Event struct {
	Seq          int
	At           time.Time
	Kind         Kind
	MessageID    string
	Copy         int
	Receipt      string
	ReceiveCount int
	Visibility   time.Duration
	Client       string
}

func (q *queue) log(at time.Time, kind Kind, c *messageCopy, more Event) {
	more.Seq, more.At, more.Kind = len(q.events)+1, at, kind
	if c != nil {
		more.MessageID, more.Copy, more.ReceiveCount = c.id, c.copy, c.receives
	}
	q.events = append(q.events, more)
}
