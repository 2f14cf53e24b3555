package sqs

import "time"

// request is the parameters of every action; each action reads its own. Both
// protocols fill it. A pointer tells "not given" from zero.
type request struct {
	QueueName       string
	QueueUrl        string
	QueueNamePrefix string
	MaxResults      *int
	NextToken       string
	Attributes      map[string]string

	AttributeNames              []string
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
	MaxNumberOfMessages         *int
	WaitTimeSeconds             *int

	entry
	Entries []entry

	client string
}

// entry is the parameters for one message: of an action, or of one entry of
// its batch.
type entry struct {
	Id                      string
	MessageBody             string
	DelaySeconds            *int
	MessageAttributes       map[string]attributeValue
	MessageSystemAttributes map[string]attributeValue
	MessageGroupId          string
	MessageDeduplicationId  string
	ReceiptHandle           string
	VisibilityTimeout       *int
}

// attributeValue is an attribute as JSON writes it; []byte is base64.
type attributeValue struct {
	DataType    string
	StringValue string `json:",omitempty"`
	BinaryValue []byte `json:",omitempty"`
}

func (en entry) message() Message {
	m := Message{Body: en.MessageBody, GroupID: en.MessageGroupId, DeduplicationID: en.MessageDeduplicationId}
	for name, v := range en.MessageAttributes {
		if m.Attributes == nil {
			m.Attributes = map[string]Attribute{}
		}
		m.Attributes[name] = Attribute(v)
	}
	return m
}

func asSeconds(n *int) *time.Duration {
	if n == nil {
		return nil
	}
	d := time.Duration(*n) * time.Second
	return &d
}
