package doctor_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readqueue"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/lab/rabbitmq"
)

// withAPI loads the broker's management plugin, by the broker's own program.
func withAPI(t *testing.T) (s *rabbitmq.Server, api string) {
	t.Helper()
	s, err := oneRabbit()
	started(t, s, err)
	environment, program := nodeOf(t, s.Port())
	enable := exec.CommandContext(ctxFor(t), program, "enable", "rabbitmq_management")
	enable.Env = environment
	if text, err := enable.CombinedOutput(); err != nil {
		t.Skipf("the plugin rabbitmq_management cannot be loaded here: %v\n%s", err, text)
	}
	return s, fmt.Sprintf("http://guest:guest@127.0.0.1:%d", managementPort)
}

// nodeOf is the environment of the broker's process, with which its program for plugins
// finds it, and that program.
func nodeOf(t *testing.T, port int) (environment []string, program string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(text, fmt.Appendf(nil, "RABBITMQ_NODE_PORT=%d\x00", port)) {
			continue
		}
		environment = strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
		for _, variable := range environment {
			if server, is := strings.CutPrefix(variable, "SERVER="); is {
				return environment, filepath.Join(filepath.Dir(server), "rabbitmq-plugins")
			}
		}
	}
	t.Fatal("the broker's process is not there")
	return nil, ""
}

func call(t *testing.T, method, address, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctxFor(t), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		t.Fatalf("%s: %s", method, response.Status)
	}
}

// A policy does to a queue what its declaration might.
func TestRabbitMQPolicy(t *testing.T) {
	s, api := withAPI(t)
	conn, err := amqp.Dial(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	channel, err := conn.Channel()
	if err == nil {
		_, err = channel.QueueDeclare("a/queue", true, false, false, false, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	policy := api + "/api/policies/%2F/changed"
	read := func() *doctor.RabbitMQ {
		t.Helper()
		r, err := readqueue.RabbitMQ(ctxFor(t), s.URL(), "a/queue")
		if err == nil {
			r.Policy, err = readqueue.Policy(ctxFor(t), api, s.URL(), "a/queue")
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	until := func(there bool) { // the API tells what the queue has said last, some seconds ago
		t.Helper()
		ctx := ctxFor(t)
		for ; (len(read().Policy) > 0) != there; time.Sleep(50 * time.Millisecond) {
			if ctx.Err() != nil {
				t.Fatal("the policy did not come or go")
			}
		}
	}
	examine := func() doctor.Report {
		report := doctor.Examine(doctor.Facts{RabbitMQ: read(), Jobs: theJob(t, job.Celery)})
		if report.Untold() {
			t.Errorf("%+v", report.Gaps)
		}
		return report
	}
	comesAndGoes(t, "rabbitmq.message_ttl", examine,
		func() {
			call(t, http.MethodPut, policy, `{"pattern": ".*", "apply-to": "queues", "definition": {"message-ttl": 60000}}`)
			until(true)
		},
		func() { call(t, http.MethodDelete, policy, ""); until(false) })
	for address, want := range map[string]string{
		strings.Replace(api, "guest@", "hunter2@", 1): "401", "http://guest:hunter2@127.0.0.1:1": "refused", "http://guest:hunter2@127.0.0.1:port": "cannot be read",
	} {
		if _, err := readqueue.Policy(context.Background(), address, s.URL(), "a/queue"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := readqueue.Policy(ctxFor(t), api, s.URL(), "nobody"); err == nil {
		t.Error("a queue that is not there has a policy")
	}
}

// How long the broker waits for an acknowledgement in a queue is one of the queue's own
// arguments, which only the management API tells.
func TestRabbitMQConsumerTimeoutOfQueue(t *testing.T) {
	s, api := withAPI(t)
	conn := dialed(t, s.URL())
	declare(t, conn, "patient", true, false, amqp.Table{"x-consumer-timeout": int32(41_000)})
	declare(t, conn, "impatient", true, false, amqp.Table{"x-consumer-timeout": int32(40_000)})
	queue := "patient"
	examine := func() doctor.Report {
		r, err := readqueue.RabbitMQ(ctxFor(t), s.URL(), queue)
		if err == nil {
			r.Policy, err = readqueue.Policy(ctxFor(t), api, s.URL(), queue)
		}
		if err != nil {
			t.Fatal(err)
		}
		report := doctor.Examine(doctor.Facts{RabbitMQ: r, Jobs: theJob(t, job.Celery)})
		if len(report.Gaps) > 0 {
			t.Errorf("%+v", report.Gaps)
		}
		return report
	}
	comesAndGoes(t, "rabbitmq.consumer_timeout", examine, func() { queue = "impatient" }, func() { queue = "patient" })
	queue = "plain"
	declare(t, conn, queue, true, false, nil)
	r := doctor.Report{}
	if r.Gaps = gapsOf(t, s, api, queue); len(r.Gaps) != 1 || r.Gaps[0].ID != "rabbitmq.consumer_timeout" || r.Untold() {
		t.Errorf("the server's own is not told, and yet %+v", r.Gaps)
	}
}

func gapsOf(t *testing.T, s *rabbitmq.Server, api, queue string) []doctor.Gap {
	t.Helper()
	policy, err := readqueue.Policy(ctxFor(t), api, s.URL(), queue)
	if err != nil {
		t.Fatal(err)
	}
	return doctor.Examine(doctor.Facts{RabbitMQ: &doctor.RabbitMQ{Queue: queue, Durable: true, Policy: policy}, Jobs: theJob(t, job.Celery)}).Gaps
}

// A policy has it as well, on newer servers than the one here (from 3.11.15 on), so the
// answer of the API is a stored one. Of two the shorter counts.
func TestRabbitMQConsumerTimeoutOfPolicy(t *testing.T) {
	answer := ""
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
	defer api.Close()
	for stored, want := range map[string]string{
		`{"name":"celery","policy":"wait","arguments":{},"effective_policy_definition":{"consumer-timeout":86400000}}`:                             "86400000",
		`{"arguments":{"x-consumer-timeout":30000},"effective_policy_definition":{"consumer-timeout":86400000}}`:                                   "30000",
		`{"arguments":{"x-consumer-timeout":86400000},"effective_policy_definition":{"consumer-timeout":30000}}`:                                   "30000",
		`{"arguments":[],"effective_policy_definition":[]}`:                                                                                        "",
		`{"arguments":{"x-queue-type":"quorum"},"operator_policy":"short","effective_policy_definition":{"consumer-timeout":39999,"expires":5e9}}`: "39999",
	} {
		answer = stored
		policy, err := readqueue.Policy(ctxFor(t), api.URL, "amqp://localhost/", "celery")
		if err != nil || policy["consumer-timeout"] != want {
			t.Errorf("%s: %q, %v", stored, policy, err)
		}
		report := doctor.Examine(doctor.Facts{RabbitMQ: &doctor.RabbitMQ{Queue: "celery", Durable: true, Policy: policy}, Jobs: theJob(t, job.Celery)})
		if short := want == "30000" || want == "39999"; slices.Contains(found(report), "rabbitmq.consumer_timeout") != short {
			t.Errorf("%s: %q", stored, found(report))
		}
	}
}
