package differential_test

import (
	"encoding/json"
	"encoding/xml"
)

// answer is the answers of all actions, in both protocols.
type answer struct {
	QueueUrl               string
	Attributes             pairs `xml:"Attribute"`
	MessageId              string
	MD5OfMessageBody       string
	MD5OfMessageAttributes string
	SequenceNumber         string
	Messages               []message `xml:"Message"`
	Successful             []done    `xml:"SendMessageBatchResultEntry"`
	Deleted                []done    `json:"-" xml:"DeleteMessageBatchResultEntry"`
	Changed                []done    `json:"-" xml:"ChangeMessageVisibilityBatchResultEntry"`
	Failed                 []failed  `xml:"BatchResultErrorEntry"`
}

type message struct {
	MessageId              string
	ReceiptHandle          string
	Body                   string
	MD5OfBody              string
	MD5OfMessageAttributes string
	Attributes             pairs  `xml:"Attribute"`
	MessageAttributes      values `xml:"MessageAttribute"`
}

type done struct {
	Id, MessageId, MD5OfMessageBody, SequenceNumber string
}

type failed struct {
	Id, Code    string
	SenderFault bool
}

// pairs come as a map in JSON and as elements in XML.
type pairs map[string]string

func (p *pairs) UnmarshalXML(x *xml.Decoder, start xml.StartElement) error {
	var one struct{ Name, Value string }
	if err := x.DecodeElement(&one, &start); err != nil {
		return err
	}
	if *p == nil {
		*p = pairs{}
	}
	(*p)[one.Name] = one.Value
	return nil
}

// values are message attributes that were received.
type values map[string]struct{ DataType, StringValue string }

func (v *values) UnmarshalXML(x *xml.Decoder, start xml.StartElement) error {
	var one struct {
		Name  string
		Value struct{ DataType, StringValue string }
	}
	if err := x.DecodeElement(&one, &start); err != nil {
		return err
	}
	if *v == nil {
		*v = values{}
	}
	(*v)[one.Name] = one.Value
	return nil
}

// read reads a success; what is no JSON or XML is an observation too. In XML the result is the first element under the
// response's; an action without a result has only its metadata there.
func (c client) read(body []byte) (answer, error) {
	if c.protocol == jsonProtocol {
		var a answer
		if len(body) == 0 {
			return a, nil
		}
		if err := json.Unmarshal(body, &a); err != nil {
			return a, refused("unreadable")
		}
		return a, nil
	}
	var response struct {
		Results []answer `xml:",any"`
	}
	if err := xml.Unmarshal(body, &response); err != nil {
		return answer{}, refused("unreadable")
	}
	if len(response.Results) == 0 {
		return answer{}, nil
	}
	a := response.Results[0]
	a.Successful = append(append(a.Successful, a.Deleted...), a.Changed...)
	return a, nil
}
