package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/rabbitmq"
	labredis "github.com/twiceproof/twiceproof/lab/redis"
	labsqs "github.com/twiceproof/twiceproof/lab/sqs"
)

// storedTask is what the Python guard keeps of a task with a chain behind it.
const storedTask = `{"headers": {"root_id": "r1", "parent_id": null, "group": null, "group_index": null, "retries": 2, "reply_to": "b1", "shadow": null, ` +
	`"timelimit": [null, 40], "ignore_result": true, "tenant": "acme", "lang": "py", "task": "billing.charge", "id": "t1"}, ` +
	`"body": [["o1"], {"amount": 12345678901234567890}, {"callbacks": null, "errbacks": null, "chain": [{"task": "next"}], "chord": null}], ` +
	`"exchange": %q, "routing_key": %q, "priority": %s}`

func stored(exchange, key, priority string) []byte {
	return fmt.Appendf(nil, storedTask, exchange, key, priority)
}

const wantBody = `[["o1"],{"amount":12345678901234567890},{"callbacks":null,"errbacks":null,"chain":[{"task":"next"}],"chord":null}]`

func TestPutBackCeleryOnRedis(t *testing.T) {
	server, err := labredis.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	address := fmt.Sprintf("redis://127.0.0.1:%d/0", server.Port())
	push, err := putBack(t.Context(), job.Job{Queue: job.Celery}, address)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", server.Port()), Protocol: 2, DisableIdentity: true})
	defer client.Close()
	client.SAdd(t.Context(), "_kombu.binding.tasks", "key\x06\x16\x06\x16bound", "other\x06\x16\x06\x16unbound")
	for list, message := range map[string][]byte{
		"charges": stored("", "charges", "null"), "charges\x06\x166": stored("", "charges", "7"), "bound": stored("tasks", "key", "0"),
	} {
		if err := push(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		got := client.LRange(t.Context(), list, 0, -1).Val()
		if len(got) != 1 {
			t.Fatalf("%q has %d", list, len(got))
		}
		checkEnvelope(t, got[0])
	}
	if n := client.Exists(t.Context(), "unbound").Val(); n != 0 {
		t.Error("it is on a queue with another routing key, too")
	}
	for _, message := range [][]byte{stored("tasks", "nobody", "0"), stored("", "", "0"), []byte(`{"body": []}`), []byte("no json")} {
		if err := push(t.Context(), message); err == nil {
			t.Errorf("%s was put on", message)
		}
	}
}

func checkEnvelope(t *testing.T, text string) {
	t.Helper()
	var m struct {
		Body       string
		Headers    map[string]any
		Properties map[string]any
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	body, _ := base64.StdEncoding.DecodeString(m.Body)
	if string(body) != wantBody {
		t.Errorf("body %s, want %s", body, wantBody)
	}
	h, p := m.Headers, m.Properties
	if h["id"] != "t1" || h["task"] != "billing.charge" || h["retries"] != 2.0 || h["root_id"] != "r1" || h["eta"] != nil || h["expires"] != nil {
		t.Errorf("headers %v", h)
	}
	if h["tenant"] != "acme" || h["ignore_result"] != true {
		t.Errorf("the application's own are gone: headers %v", h)
	}
	if p["correlation_id"] != "t1" || p["reply_to"] != "b1" || p["body_encoding"] != "base64" || p["delivery_tag"] == nil {
		t.Errorf("properties %v", p)
	}
}

func TestPutBackCeleryOnRabbitMQ(t *testing.T) {
	server, err := rabbitmq.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	conn, err := amqp.Dial(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	channel, err := conn.Channel()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := channel.QueueDeclare("charges", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	push, err := putBack(t.Context(), job.Job{Queue: job.Celery}, server.URL()+"/") // as Celery writes it
	if err != nil {
		t.Fatal(err)
	}
	if err := push(t.Context(), stored("", "charges", "null")); err != nil {
		t.Fatal(err)
	}
	d, ok, err := channel.Get("charges", true)
	if err != nil || !ok {
		t.Fatalf("nothing is there: %v", err)
	}
	if string(d.Body) != wantBody || d.CorrelationId != "t1" || d.ReplyTo != "b1" || d.Headers["task"] != "billing.charge" || d.Headers["eta"] != nil || fmt.Sprint(d.Headers["retries"]) != "2" || d.Headers["tenant"] != "acme" {
		t.Errorf("%s %v", d.Body, d.Headers)
	}
	if err := push(t.Context(), stored("", "nobody", "0")); err == nil {
		t.Error("what no queue takes was put on")
	}
}

// Where the address is wrong it is said without it: there may be a password in it.
func TestPutBackCeleryNowhere(t *testing.T) {
	for _, address := range []string{"amqp://u:hunter2@127.0.0.1:1//", "amqp://u:hunter2@[", "redis://:hunter2@127.0.0.1:1", "redis://:hunter2@[", "sqs://u:hunter2@x", "hunter2"} {
		began := time.Now()
		_, err := putBack(t.Context(), job.Job{Queue: job.Celery}, address)
		if err == nil || strings.Contains(err.Error(), "hunter2") || time.Since(began) > time.Minute {
			t.Errorf("%s: %v after %s", address, err, time.Since(began))
		}
	}
}

// The guard has no layer that would have stored a job of RQ.
func TestPutBackOnRQIsRefused(t *testing.T) {
	if _, err := putBack(t.Context(), job.Job{Queue: job.RQ}, "redis://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "a message of rq cannot be put back") {
		t.Error(err)
	}
}

func TestPutBackCeleryOnSQS(t *testing.T) {
	endpoint, err := labsqs.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer endpoint.Close()
	address := "sqs://key:secret@" + strings.TrimPrefix(endpoint.URL(), "http://")
	push, err := putBack(t.Context(), job.Job{Queue: job.Celery}, address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := endpoint.CreateQueue("eu-charges", nil); err != nil {
		t.Fatal(err)
	}
	if err := push(t.Context(), stored("", "eu.charges", "null")); err != nil {
		t.Fatal(err)
	}
	body, err := base64.StdEncoding.DecodeString(endpoint.Body("eu-charges", endpoint.Log("eu-charges")[0].MessageID))
	if err != nil {
		t.Fatal(err)
	}
	checkEnvelope(t, string(body))
	for _, message := range [][]byte{stored("", "none", "0"), []byte("no json")} {
		if err := push(t.Context(), message); err == nil {
			t.Errorf("%s was put on", message)
		}
	}
	endpoint.Close()
	if _, err := putBack(t.Context(), job.Job{Queue: job.Celery}, address); err == nil {
		t.Error("nobody listens there")
	}
}

// A FIFO queue wants a group, and takes a message twice only under another deduplication id.
func TestPutBackCeleryOnFIFO(t *testing.T) {
	endpoint, err := labsqs.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer endpoint.Close()
	url, err := endpoint.CreateQueue("eu-charges.fifo", map[string]string{"FifoQueue": "true"})
	if err != nil {
		t.Fatal(err)
	}
	address := "sqs://key:secret@" + strings.TrimPrefix(endpoint.URL(), "http://")
	push, err := putBack(t.Context(), job.Job{Queue: job.Celery}, address)
	if err != nil {
		t.Fatal(err)
	}
	plain := stored("", "eu.charges.fifo", "null")
	grouped := []byte(strings.Replace(string(plain), `"exchange"`, `"MessageGroupId": "order-7", "exchange"`, 1))
	for _, message := range [][]byte{plain, plain, grouped} {
		if err := push(t.Context(), message); err != nil {
			t.Fatal(err)
		}
	}
	client, err := celerySQSClient(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	got, err := client.ReceiveMessage(t.Context(), &awssqs.ReceiveMessageInput{
		QueueUrl: &url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"MessageGroupId"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var groups []string
	for _, m := range got.Messages {
		groups = append(groups, m.Attributes["MessageGroupId"])
		body, err := base64.StdEncoding.DecodeString(*m.Body)
		if err != nil {
			t.Fatal(err)
		}
		checkEnvelope(t, string(body))
		if here := strings.Contains(string(body), `"MessageGroupId":"order-7"`); here != (groups[len(groups)-1] == "order-7") {
			t.Errorf("group %s: Celery's own copy would have another one: %s", groups[len(groups)-1], body)
		}
	}
	if want := []string{"default", "default", "order-7"}; !slices.Equal(groups, want) {
		t.Errorf("groups %v, want %v", groups, want)
	}
}
