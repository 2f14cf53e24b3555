package sqs

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

func do(t *testing.T, r *http.Request) string {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// query sends a form and returns the answer without its request id.
func (s shell) query(t *testing.T, path string, form ...string) string {
	t.Helper()
	v := url.Values{}
	for i := 0; i < len(form); i += 2 {
		v.Set(form[i], form[i+1])
	}
	r, err := http.NewRequest("POST", s.URL()+path, strings.NewReader(v.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	text := do(t, r)
	return regexp.MustCompile(`[0-9a-f-]{36}`).ReplaceAllString(strings.TrimPrefix(text, xmlHeader), "ID")
}

const (
	xmlHeader = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	xmlns     = ` xmlns="http://queue.amazonaws.com/doc/2012-11-05/">`
	metadata  = `<ResponseMetadata><RequestId>ID</RequestId></ResponseMetadata>`
)

func TestQueryProtocol(t *testing.T) {
	s := newShell(t, "q", nil)
	const path = "/000000000000/q"
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	want(s.query(t, "/", "Action", "CreateQueue", "QueueName", "q2", "Attribute.1.Name", "DelaySeconds", "Attribute.1.Value", "5"),
		`<CreateQueueResponse`+xmlns+`<CreateQueueResult><QueueUrl>`+s.URL()+`/000000000000/q2</QueueUrl></CreateQueueResult>`+metadata+`</CreateQueueResponse>`)
	want(s.query(t, "/000000000000/q2", "Action", "GetQueueAttributes", "AttributeName.1", "DelaySeconds", "AttributeName.2", "VisibilityTimeout"),
		`<GetQueueAttributesResponse`+xmlns+`<GetQueueAttributesResult><Attribute><Name>DelaySeconds</Name><Value>5</Value></Attribute>`+
			`<Attribute><Name>VisibilityTimeout</Name><Value>30</Value></Attribute></GetQueueAttributesResult>`+metadata+`</GetQueueAttributesResponse>`)
	want(s.query(t, "/", "Action", "ListQueues"),
		`<ListQueuesResponse`+xmlns+`<ListQueuesResult><QueueUrl>`+*s.url+`</QueueUrl><QueueUrl>`+*s.url+`2</QueueUrl></ListQueuesResult>`+metadata+`</ListQueuesResponse>`)
	want(s.query(t, "/", "Action", "SendMessage", "QueueUrl", *s.url, "MessageBody", "msg",
		"MessageAttribute.1.Name", "Foo", "MessageAttribute.1.Value.DataType", "String", "MessageAttribute.1.Value.StringValue", "Bar"),
		`<SendMessageResponse`+xmlns+`<SendMessageResult><MessageId>ID</MessageId><MD5OfMessageBody>6e2baaf3b97dbeef01c0043275f9a0e7</MD5OfMessageBody>`+
			`<MD5OfMessageAttributes>ae7155c6026991b6d54b11589678bf9c</MD5OfMessageAttributes></SendMessageResult>`+metadata+`</SendMessageResponse>`)
	got := s.query(t, path, "Action", "ReceiveMessage", "MessageAttributeName.1", "All", "AttributeName.1", "ApproximateReceiveCount")
	receipt := regexp.MustCompile(`<ReceiptHandle>(.*)</ReceiptHandle>`).FindStringSubmatch(got)[1]
	want(strings.Replace(got, receipt, "R", 1),
		`<ReceiveMessageResponse`+xmlns+`<ReceiveMessageResult><Message><MessageId>ID</MessageId><ReceiptHandle>R</ReceiptHandle>`+
			`<MD5OfBody>6e2baaf3b97dbeef01c0043275f9a0e7</MD5OfBody><Body>msg</Body>`+
			`<Attribute><Name>ApproximateReceiveCount</Name><Value>1</Value></Attribute>`+
			`<MD5OfMessageAttributes>ae7155c6026991b6d54b11589678bf9c</MD5OfMessageAttributes>`+
			`<MessageAttribute><Name>Foo</Name><Value><DataType>String</DataType><StringValue>Bar</StringValue></Value></MessageAttribute>`+
			`</Message></ReceiveMessageResult>`+metadata+`</ReceiveMessageResponse>`)
	want(s.query(t, path, "Action", "DeleteMessage", "ReceiptHandle", receipt),
		`<DeleteMessageResponse`+xmlns+metadata+`</DeleteMessageResponse>`)
	want(s.query(t, path, "Action", "ReceiveMessage"),
		`<ReceiveMessageResponse`+xmlns+`<ReceiveMessageResult></ReceiveMessageResult>`+metadata+`</ReceiveMessageResponse>`)
	if n := s.Counts("q"); n != (Counts{}) {
		t.Errorf("%+v", n)
	}
}

func TestQueryBatches(t *testing.T) {
	s := newShell(t, "q", nil)
	const path = "/000000000000/q"
	got := s.query(t, path, "Action", "SendMessageBatch",
		"SendMessageBatchRequestEntry.1.Id", "a", "SendMessageBatchRequestEntry.1.MessageBody", "msg",
		"SendMessageBatchRequestEntry.2.Id", "b", "SendMessageBatchRequestEntry.2.MessageBody", "msg", "SendMessageBatchRequestEntry.2.DelaySeconds", "901")
	want := `<SendMessageBatchResponse` + xmlns + `<SendMessageBatchResult><SendMessageBatchResultEntry><Id>a</Id><MessageId>ID</MessageId>` +
		`<MD5OfMessageBody>6e2baaf3b97dbeef01c0043275f9a0e7</MD5OfMessageBody></SendMessageBatchResultEntry>` +
		`<BatchResultErrorEntry><Id>b</Id><Code>InvalidParameterValue</Code>` +
		`<Message>Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be &gt;= 0 and &lt;= 900.</Message>` +
		`<SenderFault>true</SenderFault></BatchResultErrorEntry></SendMessageBatchResult>` + metadata + `</SendMessageBatchResponse>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.query(t, path, "Action", "ReceiveMessage", "VisibilityTimeout", "600")
	receipt := s.Log("q")[1].Receipt
	s.query(t, path, "Action", "ChangeMessageVisibilityBatch", "ChangeMessageVisibilityBatchRequestEntry.1.Id", "a",
		"ChangeMessageVisibilityBatchRequestEntry.1.ReceiptHandle", receipt, "ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout", "60")
	s.Advance(time.Minute)
	if n := s.Counts("q"); n.Visible != 1 {
		t.Errorf("%+v", n)
	}
	s.query(t, path, "Action", "DeleteMessageBatch", "DeleteMessageBatchRequestEntry.1.Id", "a",
		"DeleteMessageBatchRequestEntry.1.ReceiptHandle", receipt)
	if n := s.Counts("q"); n != (Counts{}) {
		t.Errorf("%+v", n)
	}
}

func TestQueryErrors(t *testing.T) {
	s := newShell(t, "q", nil)
	cases := map[string][]string{
		"<Code>AWS.SimpleQueueService.NonExistentQueue</Code><Message>The specified queue does not exist for this wsdl version.</Message>": {
			"Action", "GetQueueUrl", "QueueName", "none"},
		"<Code>InvalidAction</Code>":         {"Action", "Dance"},
		"<Code>MissingAction</Code>":         {"QueueName", "q"},
		"<Code>MissingParameter</Code>":      {"Action", "SendMessage", "QueueUrl", "q"},
		"<Code>InvalidParameterValue</Code>": {"Action", "ReceiveMessage", "QueueUrl", "q", "WaitTimeSeconds", "x"},
	}
	for want, form := range cases {
		got := s.query(t, "/", form...)
		if !strings.Contains(got, want) || !strings.HasPrefix(got, `<ErrorResponse`+xmlns+`<Error><Type>Sender</Type>`) {
			t.Errorf("%v: %s", form, got)
		}
	}
}

func TestJSONErrorsNameBoth(t *testing.T) {
	s := newShell(t, "q", nil)
	r, _ := http.NewRequest("POST", s.URL(), strings.NewReader(`{"QueueName":"none"}`))
	r.Header.Set("X-Amz-Target", "AmazonSQS.GetQueueUrl")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if h := answer.Header.Get("x-amzn-query-error"); answer.StatusCode != 400 || h != "AWS.SimpleQueueService.NonExistentQueue;Sender" {
		t.Error(answer.Status, h)
	}
	if string(body) != `{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}` {
		t.Error(string(body))
	}
}
