package sqsconsumer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

func (r *rig) sweep(j job.Job, c Consumer, apply bool) (report twiceproof.SweepReport) {
	r.t.Helper()
	s, err := twiceproof.NewSweeper(r.db, twiceproof.SQLite, j, "")
	if err != nil {
		r.t.Fatal(err)
	}
	report, err = s.Sweep(r.ctx, twiceproof.SweepOptions{
		Apply: apply, Fields: FieldsOf,
		PutBack: func(ctx context.Context, message []byte) error { return PutBack(ctx, c.Client, c.QueueURL, message) },
		Each: func(a twiceproof.Swept) {
			if a.Err != nil {
				r.t.Error(a.Err)
			}
		},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return report
}

// dies claims a message as a worker that is killed in its act, before its effect or
// after it, and whose message is then lost by the queue.
func (r *rig) dies(c Consumer, effect bool) {
	r.t.Helper()
	out, err := c.Client.ReceiveMessage(r.ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &c.QueueURL, WaitTimeSeconds: 20, MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil || len(out.Messages) != 1 {
		r.t.Fatalf("%+v, %v", out, err)
	}
	d, err := deliveryOf(out.Messages[0])
	if err != nil {
		r.t.Fatal(err)
	}
	entered, never := make(chan struct{}), make(chan struct{})
	r.t.Cleanup(func() { close(never) })
	go func() {
		_, _ = c.Guard.Run(context.Background(), d, func(ctx context.Context, op *twiceproof.Operation) error {
			if effect {
				_ = r.till.charge(ctx, op)
			}
			close(entered)
			<-never
			return nil
		})
	}()
	take(r, entered)
	_, err = c.Client.DeleteMessage(r.ctx, &sqs.DeleteMessageInput{QueueUrl: &c.QueueURL, ReceiptHandle: out.Messages[0].ReceiptHandle})
	if err != nil {
		r.t.Fatal(err)
	}
}

// Killed after the claim, the message gone: nothing ever comes, until the sweep puts
// it back. Then the policy is followed, and there is one effect.
func TestSweepPutsBack(t *testing.T) {
	for _, effect := range []bool{false, true} {
		r := newRig(t, 0)
		j := lookupJob()
		c := r.consumer(j)
		if _, err := r.Send(queueName, lab.Message{Body: body("1", "12"), Attributes: map[string]lab.Attribute{
			"tenant": {DataType: "String", StringValue: "ü"}, "n": {DataType: "Number.int", StringValue: "7"}, "b": {DataType: "Binary", BinaryValue: []byte{0, 255}},
		}}); err != nil {
			t.Fatal(err)
		}
		r.dies(c, effect)
		if young := r.sweep(j, c, true); young != (twiceproof.SweepReport{}) {
			t.Errorf("swept a live claim: %+v", young)
		}
		r.age(lease + settle)
		r.start(c)
		r.untilIdle(1)
		r.Advance(time.Hour)
		r.untilIdle(1)
		r.wantRecord("1", "claimed") // the control: nothing comes by itself
		if dry := r.sweep(j, c, false); dry != (twiceproof.SweepReport{PutBack: 1}) {
			t.Errorf("dry: %+v", dry)
		}
		r.want(lab.Sent, 1)
		if done := r.sweep(j, c, true); done != (twiceproof.SweepReport{PutBack: 1}) {
			t.Errorf("%+v", done)
		}
		r.untilKinds(lab.Deleted, 2)
		r.wantRecord("1", "completed")
		r.wantCharges("1", 1)
		r.want(lab.Sent, 2)
		if rest := r.sweep(j, c, true); rest != (twiceproof.SweepReport{}) {
			t.Errorf("afterwards: %+v", rest)
		}
	}
}

// The message that comes back is the one that was stored, to the byte.
func TestPutBackMessage(t *testing.T) {
	r := newRig(t, 0)
	client := newClient(r.URL(), r.wire)
	sent := lab.Message{Body: " {\"order\": \"é\\u0001\", \"amount\": 12} ", Attributes: map[string]lab.Attribute{
		"s": {DataType: "String.x", StringValue: "<&>\u2028"}, "n": {DataType: "Number", StringValue: "01"}, "b": {DataType: "Binary", BinaryValue: []byte{0, 255}},
	}}
	receive := func() types.Message {
		out, err := client.ReceiveMessage(r.ctx, &sqs.ReceiveMessageInput{QueueUrl: &r.url, WaitTimeSeconds: 20, MessageAttributeNames: []string{"All"}})
		if err != nil || len(out.Messages) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		return out.Messages[0]
	}
	if _, err := r.Send(queueName, sent); err != nil {
		t.Fatal(err)
	}
	first := receive()
	d, err := deliveryOf(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := PutBack(r.ctx, client, r.url, d.Message); err != nil {
		t.Fatal(err)
	}
	second := receive()
	if aws.ToString(second.Body) != aws.ToString(first.Body) || !reflect.DeepEqual(second.MessageAttributes, first.MessageAttributes) {
		t.Errorf("%+v\n%+v", first, second)
	}
	fields, err := FieldsOf(d.Message)
	if err != nil || !reflect.DeepEqual(fields, d.Fields) {
		t.Errorf("%v, %v, want %v", fields, err, d.Fields)
	}
	for _, bad := range []string{"", "{", "[]"} {
		if _, err := FieldsOf([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
		if err := PutBack(r.ctx, client, r.url, []byte(bad)); err == nil {
			t.Errorf("%q was put back", bad)
		}
	}
}

// On a FIFO queue a message put back is a new one in its own group, however soon,
// and the client's own second try makes no second one.
func TestPutBackFIFO(t *testing.T) {
	r := newRig(t, 0)
	const name = "charges.fifo"
	url := r.createQueue(name, map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
	client := newClient(r.URL(), r.wire)
	stored := func(group string) []byte {
		message, _ := json.Marshal(StoredMessage{Body: body("1", "12"), GroupID: group})
		return message
	}
	if _, err := r.Send(name, lab.Message{Body: body("1", "12"), GroupID: "g"}); err != nil {
		t.Fatal(err)
	}
	// The control: by its content it is swallowed.
	if _, err := r.Send(name, lab.Message{Body: body("1", "12"), GroupID: "g"}); err != nil {
		t.Fatal(err)
	}
	kinds := func() (sent, swallowed int) {
		return count(r.Log(name), lab.Sent, ""), count(r.Log(name), lab.SentDuplicate, "")
	}
	if sent, swallowed := kinds(); sent != 1 || swallowed != 1 {
		t.Fatalf("sent %d, swallowed %d", sent, swallowed)
	}
	for i := range 2 {
		if err := PutBack(r.ctx, client, url, stored("g")); err != nil {
			t.Fatal(err)
		}
		if sent, _ := kinds(); sent != 2+i {
			t.Errorf("put back %d: sent %d", i+1, sent)
		}
	}
	tries := 0
	r.wire.on("SendMessage", func(q *http.Request, next http.RoundTripper) (*http.Response, error) {
		resp, err := next.RoundTrip(q)
		if tries++; tries == 1 && err == nil {
			_ = resp.Body.Close()
			return nil, fmt.Errorf("the reply was lost")
		}
		return resp, err
	})
	if err := PutBack(r.ctx, client, url, stored("")); err != nil {
		t.Fatal(err)
	}
	if sent, swallowed := kinds(); sent != 4 || swallowed != 2 || tries != 2 {
		t.Errorf("sent %d, swallowed %d, %d tries", sent, swallowed, tries)
	}
	groups, ids := map[string]int{}, map[string]bool{}
	out, err := client.ReceiveMessage(r.ctx, &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10, WaitTimeSeconds: 20,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range out.Messages {
		groups[m.Attributes["MessageGroupId"]]++
		ids[m.Attributes["MessageDeduplicationId"]] = true
	}
	if len(out.Messages) != 4 || groups["g"] != 3 || len(groups) != 2 || len(ids) != 4 {
		t.Errorf("%d messages, groups %v, ids %v", len(out.Messages), groups, ids)
	}
}

// A refusal is an error, and holds nothing of the message.
func TestPutBackRefused(t *testing.T) {
	r := newRig(t, 0)
	r.wire.on("SendMessage", refuse(400, "AccessDenied"))
	message, _ := json.Marshal(StoredMessage{Body: body("secret-1", "12")})
	err := PutBack(r.ctx, newClient(r.URL(), r.wire), r.url, message)
	if err == nil || strings.Contains(err.Error(), "secret-1") {
		t.Errorf("%v", err)
	}
}
