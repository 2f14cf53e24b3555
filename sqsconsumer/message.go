package sqsconsumer

import (
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// StoredMessage is how a message is kept in its record, with all that is needed
// to put it on the queue again.
type StoredMessage struct {
	Body       string                     `json:"body"`
	Attributes map[string]StoredAttribute `json:"attributes,omitempty"`
	GroupID    string                     `json:"group_id,omitempty"`
}

// StoredAttribute is one message attribute.
type StoredAttribute struct {
	Type   string `json:"type"`
	String string `json:"string,omitempty"`
	Binary []byte `json:"binary,omitempty"`
}

func deliveryOf(m types.Message) (twiceproof.Delivery, error) {
	stored := StoredMessage{
		Body:       aws.ToString(m.Body),
		Attributes: map[string]StoredAttribute{},
		GroupID:    m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)],
	}
	texts := map[string]string{}
	for name, a := range m.MessageAttributes {
		stored.Attributes[name] = StoredAttribute{
			Type: aws.ToString(a.DataType), String: aws.ToString(a.StringValue), Binary: a.BinaryValue,
		}
		if a.StringValue != nil {
			texts[name] = *a.StringValue
		}
	}
	fields, err := job.FieldsOfSQS([]byte(stored.Body), texts)
	if err != nil {
		return twiceproof.Delivery{}, err
	}
	message, err := json.Marshal(stored)
	return twiceproof.Delivery{Fields: fields, Body: []byte(stored.Body), Message: message}, err
}
