package sqs

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// show is what a receive answers: of each message the attributes asked for.
func (r request) show(got []received) receiveAnswer {
	var a receiveAnswer
	names := append(slices.Clone(r.AttributeNames), r.MessageSystemAttributeNames...)
	for _, m := range got {
		chosen := m.chosen(r.MessageAttributeNames)
		a.Messages = append(a.Messages, messageAnswer{
			MessageId: m.id, ReceiptHandle: m.receipt, MD5OfBody: digestOfBody(m.Body), Body: m.Body,
			Attributes:             m.system(names),
			MD5OfMessageAttributes: digestOfAttributes(chosen),
			MessageAttributes:      values(chosen),
		})
	}
	return a
}

// chosen is the message's own attributes by name, by "prefix.*", or all. The
// digest is of those that are answered, not of all.
func (m received) chosen(names []string) map[string]Attribute {
	out := map[string]Attribute{}
	for name, a := range m.Attributes {
		if slices.ContainsFunc(names, func(want string) bool { return wanted(name, want) }) {
			out[name] = a
		}
	}
	return out
}

func wanted(name, want string) bool {
	prefix, isPrefix := strings.CutSuffix(want, ".*")
	return want == "All" || want == name || isPrefix && strings.HasPrefix(name, prefix)
}

func values(attributes map[string]Attribute) attributeValues {
	out := attributeValues{}
	for name, a := range attributes {
		out[name] = attributeValue(a)
	}
	return out
}

// system is the attributes that the service itself keeps.
func (m received) system(names []string) pairs {
	all := pairs{
		"SenderId":                         accountID,
		"SentTimestamp":                    millis(m.sentAt),
		"ApproximateReceiveCount":          strconv.Itoa(m.receives),
		"ApproximateFirstReceiveTimestamp": millis(m.firstReceived),
		"MessageGroupId":                   m.GroupID,
		"MessageDeduplicationId":           m.DeduplicationID,
		"AWSTraceHeader":                   m.trace,
	}
	if m.DeduplicationID != "" { // FIFO
		all["SequenceNumber"] = m.sequenceNumber()
	}
	if m.source != "" {
		all["DeadLetterQueueSourceArn"] = arnPrefix + m.source
	}
	out := pairs{}
	for name, value := range all {
		if value != "" && (slices.Contains(names, name) || slices.Contains(names, "All")) {
			out[name] = value
		}
	}
	return out
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
