package amqpwire

import (
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// Message is what a content has, as far as the proxy looks.
type Message struct {
	// Tag is the delivery tag on its channel; 0 of what the worker publishes.
	Tag         uint64
	Redelivered bool
	// Queue is the one that it was delivered from, where that is known.
	Queue         string
	Exchange      string
	RoutingKey    string
	CorrelationID string
	MessageID     string
	// Headers is the table of the application's own, as it came, without its length.
	Headers []byte
	// Body is the beginning of the content, up to 1 MiB; nothing in an acknowledgement.
	Body []byte
	// Cut says that the body is longer.
	Cut bool
}

// Said is what was said in a step.
type Said struct {
	// Method is such as "Basic.Deliver".
	Method string
	// Connection counts those of the worker, from 1: each numbers its channels anew.
	Connection int32
	Channel    uint16
	// Names are those of queues, exchanges and keys among the method's arguments.
	Names []string
	// Messages has what is published, delivered or given back; of an acknowledgement all
	// that it is about, by tag, with what was said of them when they were delivered.
	Messages []Message
	// Requeue is that of a Nack or a Reject.
	Requeue bool
	// Status is the answer's, as the gate's events have it; "" before it has come.
	Status string
}

// DefaultName is how a step is called.
func DefaultName(said Said) string {
	parts := []string{said.Method}
	switch said.Method {
	case "Basic.Publish", "Basic.Return":
		for _, m := range said.Messages {
			parts = append(parts, address(m))
		}
	case "Basic.Deliver", "Basic.Ack", "Basic.Nack", "Basic.Reject":
		parts = append(parts, queues(said.Messages)...)
		if said.Requeue {
			parts = append(parts, "requeue")
		}
	default:
		for _, n := range said.Names {
			if n != "" {
				parts = append(parts, wire.MaskName(n))
			}
		}
	}
	return wire.Clip(strings.Join(parts, " "))
}

// address is "exchange/key", and of the default exchange the key alone.
func address(m Message) string {
	if m.Exchange == "" {
		return wire.MaskName(m.RoutingKey)
	}
	return wire.MaskName(m.Exchange) + "/" + wire.MaskName(m.RoutingKey)
}

func queues(all []Message) (names []string) {
	for _, m := range all {
		if m.Queue == "" {
			names = append(names, address(m))
		} else {
			names = append(names, wire.MaskName(m.Queue))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
