package sqs

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const maxDelay = 15 * time.Minute

// check refuses a message that the service would refuse.
func (q *queue) check(s sending) *fault {
	if s.Body == "" {
		return missingParameter("MessageBody")
	}
	if !validContents(s.Body) {
		return invalidContents()
	}
	if err := checkAttributes(s.Attributes); err != nil {
		return err
	}
	if s.size() > q.set.maxBytes {
		return invalidParameter("One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", q.set.maxBytes)
	}
	if s.delay != nil && (*s.delay < 0 || *s.delay > maxDelay) {
		return invalidValue("DelaySeconds", wholeSeconds(*s.delay), "DelaySeconds must be >= 0 and <= 900.")
	}
	return q.checkType(s)
}

// identifier is what a group and a deduplication id may be: any printable ASCII
// but the space.
var identifier = regexp.MustCompile(`^[[:graph:]]{0,128}$`)

// checkType refuses what does not go with the queue's type.
func (q *queue) checkType(s sending) *fault {
	for name, value := range map[string]string{"MessageGroupId": s.GroupID, "MessageDeduplicationId": s.DeduplicationID} {
		if !identifier.MatchString(value) {
			return invalidValue(name, value, name+" can only include alphanumeric and punctuation characters. 1 to 128 in length.")
		}
	}
	const wrongType = "The request include parameter that is not valid for this queue type."
	switch {
	case !q.set.fifo && s.DeduplicationID != "":
		return invalidValue("MessageDeduplicationId", s.DeduplicationID, wrongType)
	case !q.set.fifo:
		return nil
	case s.GroupID == "":
		return missingParameter("MessageGroupId")
	case s.delay != nil && *s.delay > 0:
		return invalidValue("DelaySeconds", wholeSeconds(*s.delay), wrongType)
	case s.DeduplicationID == "" && !q.set.contentDedup:
		return invalidParameter("The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly")
	}
	return nil
}

func (m Message) size() int {
	n := len(m.Body)
	for name, a := range m.Attributes {
		n += len(name) + len(a.DataType) + len(a.StringValue) + len(a.BinaryValue)
	}
	return n
}

// validContents: what XML 1.0 allows.
func validContents(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		control := r < 0x20 && r != '\t' && r != '\n' && r != '\r'
		return control || r == 0xFFFE || r == 0xFFFF
	})
}

var (
	attributeName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	attributeType = regexp.MustCompile(`^(String|Number|Binary)(\..+)?$`)
)

func checkAttributes(attributes map[string]Attribute) *fault {
	if len(attributes) > 10 {
		return invalidParameter("Number of message attributes [%d] exceeds the allowed maximum [10].", len(attributes))
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if err := checkAttributeValue(name, attributes[name]); err != nil {
			return err
		}
	}
	return nil
}

func checkAttributeValue(name string, a Attribute) *fault {
	low := strings.ToLower(name)
	switch {
	case !attributeName.MatchString(name) || len(name) > 256 || strings.HasPrefix(low, "aws.") || strings.HasPrefix(low, "amazon."):
		return invalidParameter("The message attribute name '%s' is invalid.", name)
	case a.DataType == "":
		return invalidParameter("The message attribute '%s' must contain a non-empty message attribute type.", name)
	case !attributeType.MatchString(a.DataType):
		return invalidParameter("The message attribute '%s' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.", name)
	case a.binary() && len(a.BinaryValue) == 0 || !a.binary() && a.StringValue == "":
		return invalidParameter("Message (user) attribute '%s' must contain a non-empty value of type '%s'.", name, a.DataType)
	case !a.binary() && !validContents(a.StringValue):
		return invalidContents()
	}
	return nil
}
