package sqs

import (
	"strings"
	"testing"
	"time"
)

func TestMessagesThatAreRefused(t *testing.T) {
	with := func(name string, a Attribute) sending {
		return sending{Message: Message{Body: "b", Attributes: map[string]Attribute{name: a}}}
	}
	text := Attribute{DataType: "String", StringValue: "v"}
	tooLong := 15*time.Minute + time.Second
	cases := []struct {
		name string
		s    sending
		code string
	}{
		{"plain", sending{Message: Message{Body: "b"}}, ""},
		{"empty", sending{}, "MissingParameter"},
		{"line ends", sending{Message: Message{Body: "a\tb\r\nc\U0001F600"}}, ""},
		{"control character", sending{Message: Message{Body: "a\x01"}}, "InvalidMessageContents"},
		{"not a character", sending{Message: Message{Body: "a\uFFFF"}}, "InvalidMessageContents"},
		{"as long as allowed", sending{Message: Message{Body: strings.Repeat("a", 1024)}}, ""},
		{"too long", sending{Message: Message{Body: strings.Repeat("a", 1025)}}, "InvalidParameterValue"},
		{"delay", sending{Message: Message{Body: "b"}, delay: &tooLong}, "InvalidParameterValue"},
		{"attribute", with("my.name", text), ""},
		{"attribute with label", with("n", Attribute{DataType: "Number.int", StringValue: "1"}), ""},
		{"attribute without type", with("n", Attribute{StringValue: "1"}), "InvalidParameterValue"},
		{"attribute of unknown type", with("n", Attribute{DataType: "Text", StringValue: "1"}), "InvalidParameterValue"},
		{"empty attribute", with("n", Attribute{DataType: "String"}), "InvalidParameterValue"},
		{"empty binary attribute", with("n", Attribute{DataType: "Binary"}), "InvalidParameterValue"},
		{"reserved name", with("AWS.x", text), "InvalidParameterValue"},
		{"dots", with("a..b", text), "InvalidParameterValue"},
	}
	for _, c := range cases {
		m := newMachine(t, "q", map[string]string{"MaximumMessageSize": "1024"})
		if _, err := m.send(at(0), c.s); codeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
		if c.code != "" && len(m.copies) != 0 {
			t.Errorf("%s: refused and kept", c.name)
		}
	}
}

func TestIdentifiersThatAreRefused(t *testing.T) {
	for id, code := range map[string]string{
		strings.Repeat("x", 128): "",
		strings.Repeat("x", 129): "InvalidParameterValue",
		"!\"#~":                  "",
		"a b":                    "InvalidParameterValue",
		"\u00fc":                 "InvalidParameterValue",
	} {
		for _, msg := range []Message{{GroupID: id, DeduplicationID: "d"}, {GroupID: "g", DeduplicationID: id}} {
			m := newMachine(t, "q.fifo", fifoQueue)
			msg.Body = "b"
			if _, err := m.send(at(0), sending{Message: msg}); codeOf(err) != code {
				t.Errorf("group %q, deduplication %q: %v, want %q", msg.GroupID, msg.DeduplicationID, err, code)
			}
		}
	}
}

func TestQueuesThatAreRefused(t *testing.T) {
	cases := []struct {
		name       string
		attributes map[string]string
		code       string
	}{
		{"q", map[string]string{"VisibilityTimeout": "43200", "DelaySeconds": "900"}, ""},
		{"q", map[string]string{"VisibilityTimeout": "43201"}, "InvalidAttributeValue"},
		{"q", map[string]string{"DelaySeconds": "-1"}, "InvalidAttributeValue"},
		{"q", map[string]string{"DelaySeconds": "x"}, "InvalidAttributeValue"},
		{"q", map[string]string{"NoSuch": "1"}, "InvalidAttributeName"},
		{"q", map[string]string{"ContentBasedDeduplication": "true"}, "InvalidAttributeName"},
		{"q", map[string]string{"FifoQueue": "true"}, "InvalidParameterValue"},
		{"q", map[string]string{"FifoQueue": "false"}, ""},
		{"q", map[string]string{"FifoQueue": "no"}, "InvalidAttributeValue"},
		{"q.fifo", map[string]string{"FifoQueue": "false"}, "InvalidParameterValue"},
		{"q.fifo", nil, "InvalidParameterValue"},
		{"q.fifo", map[string]string{"FifoQueue": "true"}, ""},
		{"a b", nil, "InvalidParameterValue"},
		{strings.Repeat("q", 81), nil, "InvalidParameterValue"},
	}
	for _, c := range cases {
		if err := newAccount().create(t0, c.name, c.attributes); codeOf(err) != c.code {
			t.Errorf("%s %v: %v, want %q", c.name, c.attributes, err, c.code)
		}
	}
}

func TestCreateAgain(t *testing.T) {
	m := newMachine(t, "q", map[string]string{"DelaySeconds": "1"})
	for _, same := range []map[string]string{nil, {"DelaySeconds": "1"}, {"VisibilityTimeout": "30"}, {"FifoQueue": "false"}} {
		if err := m.a.create(at(1), "q", same); err != nil || m.a.queues["q"] != m.queue {
			t.Errorf("%v: %v", same, err)
		}
	}
	if err := m.a.create(at(1), "q", map[string]string{"DelaySeconds": "2"}); codeOf(err) != "QueueAlreadyExists" {
		t.Error(err)
	}
}
