package sqsconsumer

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// The record keeps all that is needed to put the message on the queue again.
func TestStoredMessage(t *testing.T) {
	d, err := deliveryOf(types.Message{
		Body: aws.String(`{"order": 12345678901234567890}`),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"tenant": {DataType: aws.String("String"), StringValue: aws.String("t")},
			"raw":    {DataType: aws.String("Binary.png"), BinaryValue: []byte{0, 255}},
		},
		Attributes: map[string]string{"MessageGroupId": "g", "ApproximateReceiveCount": "2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got StoredMessage
	if err := json.Unmarshal(d.Message, &got); err != nil {
		t.Fatal(err)
	}
	want := StoredMessage{Body: string(d.Body), GroupID: "g", Attributes: map[string]StoredAttribute{
		"tenant": {Type: "String", String: "t"}, "raw": {Type: "Binary.png", Binary: []byte{0, 255}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
