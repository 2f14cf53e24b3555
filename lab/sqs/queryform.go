package sqs

import (
	"encoding/base64"
	"net/url"
	"strconv"
)

// form reads the numbered parameters of the Query protocol, under a prefix
// such as "SendMessageBatchRequestEntry.3.".
type form struct {
	values url.Values
	prefix string
	err    *fault
}

func formRequest(action string, values url.Values) (request, *fault) {
	f := &form{values: values}
	q := request{
		QueueName:       f.text("QueueName"),
		QueueUrl:        f.text("QueueUrl"),
		QueueNamePrefix: f.text("QueueNamePrefix"),
		MaxResults:      f.number("MaxResults"),
		NextToken:       f.text("NextToken"),
		Attributes:      f.pairs("Attribute"),

		AttributeNames:              f.list("AttributeName"),
		MessageSystemAttributeNames: f.list("MessageSystemAttributeName"),
		MessageAttributeNames:       f.list("MessageAttributeName"),
		MaxNumberOfMessages:         f.number("MaxNumberOfMessages"),
		WaitTimeSeconds:             f.number("WaitTimeSeconds"),
		entry:                       f.entry(),
	}
	f.each(action+"RequestEntry", func(in *form) { q.Entries = append(q.Entries, in.entry()) })
	return q, f.err
}

func (f *form) entry() entry {
	return entry{
		Id:                      f.text("Id"),
		MessageBody:             f.text("MessageBody"),
		DelaySeconds:            f.number("DelaySeconds"),
		MessageAttributes:       f.attributes("MessageAttribute"),
		MessageSystemAttributes: f.attributes("MessageSystemAttribute"),
		MessageGroupId:          f.text("MessageGroupId"),
		MessageDeduplicationId:  f.text("MessageDeduplicationId"),
		ReceiptHandle:           f.text("ReceiptHandle"),
		VisibilityTimeout:       f.number("VisibilityTimeout"),
	}
}

func (f *form) text(name string) string { return f.values.Get(f.prefix + name) }

func (f *form) number(name string) *int {
	s := f.text(name)
	if s == "" {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		f.err = invalidValue(name, s, "Must be an integer.")
	}
	return &n
}

// each calls do for name.1, name.2, … until none has a parameter.
func (f *form) each(name string, do func(*form)) {
	for i := 1; ; i++ {
		in := &form{values: f.values, prefix: f.prefix + name + "." + strconv.Itoa(i) + "."}
		if !in.any() {
			return
		}
		do(in)
		if in.err != nil {
			f.err = in.err
		}
	}
}

func (f *form) any() bool {
	for name := range f.values {
		if len(name) > len(f.prefix) && name[:len(f.prefix)] == f.prefix {
			return true
		}
	}
	return false
}

func (f *form) list(name string) []string {
	var all []string
	for i := 1; f.values.Has(f.prefix + name + "." + strconv.Itoa(i)); i++ {
		all = append(all, f.text(name+"."+strconv.Itoa(i)))
	}
	return all
}

func (f *form) pairs(name string) map[string]string {
	all := map[string]string{}
	f.each(name, func(in *form) { all[in.text("Name")] = in.text("Value") })
	return all
}

func (f *form) attributes(name string) map[string]attributeValue {
	all := map[string]attributeValue{}
	f.each(name, func(in *form) {
		v := attributeValue{DataType: in.text("Value.DataType"), StringValue: in.text("Value.StringValue")}
		var err error
		if v.BinaryValue, err = base64.StdEncoding.DecodeString(in.text("Value.BinaryValue")); err != nil {
			in.err = invalidValue("BinaryValue", in.text("Value.BinaryValue"), "Must be base64.")
		}
		all[in.text("Name")] = v
	})
	return all
}
