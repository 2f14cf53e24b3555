package sqs

import (
	"encoding/base64"
	"encoding/xml"
	"maps"
	"slices"
)

// The answers, as JSON and as the XML of the Query protocol.

type nothing struct{}

type urlAnswer struct {
	QueueUrl string
}

type listAnswer struct {
	QueueUrls []string `json:",omitempty" xml:"QueueUrl"`
	NextToken string   `json:",omitempty" xml:",omitempty"`
}

type attributesAnswer struct {
	Attributes pairs `json:",omitempty"`
}

type sendAnswer struct {
	MessageId              string
	MD5OfMessageBody       string
	MD5OfMessageAttributes string `json:",omitempty" xml:",omitempty"`
	SequenceNumber         string `json:",omitempty" xml:",omitempty"`
}

type receiveAnswer struct {
	Messages []messageAnswer `json:",omitempty" xml:"Message"`
}

type messageAnswer struct {
	MessageId              string
	ReceiptHandle          string
	MD5OfBody              string
	Body                   string
	Attributes             pairs           `json:",omitempty"`
	MD5OfMessageAttributes string          `json:",omitempty" xml:",omitempty"`
	MessageAttributes      attributeValues `json:",omitempty"`
}

type batchAnswer struct {
	Successful []any
	Failed     []failedEntry
}

type sentEntry struct {
	XMLName xml.Name `json:"-" xml:"SendMessageBatchResultEntry"`
	Id      string
	sendAnswer
}

type deletedEntry struct {
	XMLName xml.Name `json:"-" xml:"DeleteMessageBatchResultEntry"`
	Id      string
}

type changedEntry struct {
	XMLName xml.Name `json:"-" xml:"ChangeMessageVisibilityBatchResultEntry"`
	Id      string
}

type failedEntry struct {
	XMLName     xml.Name `json:"-" xml:"BatchResultErrorEntry"`
	Id          string
	Code        string
	Message     string
	SenderFault bool
}

// pairs is written by the Query protocol as <Attribute><Name/><Value/></Attribute>.
type pairs map[string]string

func (p pairs) MarshalXML(x *xml.Encoder, _ xml.StartElement) error {
	type pair struct{ Name, Value string }
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if err := x.EncodeElement(pair{name, p[name]}, element("Attribute")); err != nil {
			return err
		}
	}
	return nil
}

// attributeValues is written as <MessageAttribute><Name/><Value>…</Value></MessageAttribute>.
type attributeValues map[string]attributeValue

func (a attributeValues) MarshalXML(x *xml.Encoder, _ xml.StartElement) error {
	type value struct {
		DataType    string
		StringValue string `xml:",omitempty"`
		BinaryValue string `xml:",omitempty"`
	}
	type pair struct {
		Name  string
		Value value
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		v := a[name]
		p := pair{name, value{v.DataType, v.StringValue, base64.StdEncoding.EncodeToString(v.BinaryValue)}}
		if err := x.EncodeElement(p, element("MessageAttribute")); err != nil {
			return err
		}
	}
	return nil
}

func element(name string) xml.StartElement {
	return xml.StartElement{Name: xml.Name{Local: name}}
}
