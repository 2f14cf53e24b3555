package sqs

import "time"

// Message is what a producer sends.
type Message struct {
	Body            string
	Attributes      map[string]Attribute
	GroupID         string
	DeduplicationID string
	Delay           time.Duration // 0: the queue's own DelaySeconds
}

// Attribute is one message attribute. DataType is String, Number or Binary,
// with an optional label after a dot ("Number.int").
type Attribute struct {
	DataType    string
	StringValue string
	BinaryValue []byte
}

// stored is a message as the queue keeps it. It outlives its copies, so that
// Redeliver can make another one after the first was deleted.
type stored struct {
	Message
	id       string
	sequence uint64
	sentAt   time.Time
	copies   int
	trace    string // AWSTraceHeader
	source   string // name of the queue it died in, empty otherwise
}

type state int

const (
	delayed state = iota
	visible
	inFlight
)

// messageCopy is one deliverable copy of a message. Most messages have one.
type messageCopy struct {
	*stored
	copy          int
	state         state
	due           time.Time // the end of the delay or of the visibility timeout
	receives      int       // also names the newest receipt
	firstReceived time.Time
	lastReceived  time.Time // the 12 hours in flight count from here
}
