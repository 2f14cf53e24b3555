package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/twiceproof/twiceproof/lab/rabbitmq"
	"github.com/twiceproof/twiceproof/lab/redis"
)

// The lab's servers are made to be fast, and the doctor says of what they lose.
func TestDoctorOnServers(t *testing.T) {
	noSources(t)
	for _, s := range peopleServers(t) {
		found, _, _ := doctorRun(t, statusFound, "--dsn", s.address)
		want := []string{"postgres.fsync", "postgres.full_page_writes"}
		if s.dialect == "mysql" {
			want = []string{"mysql.flush_log", "mysql.doublewrite"}
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s: %q", s.dialect, found)
		}
		found, _, _ = doctorRun(t, statusGood, "--dsn", s.address, "--accept", strings.Join(want, ","))
		if !slices.Equal(found, want) {
			t.Errorf("%s: accepted findings are still shown: %q", s.dialect, found)
		}
		if found, _, _ := doctorRun(t, statusFound, "--dsn", s.address, "--table", "nobody"); !slices.Contains(found, "table.missing") {
			t.Errorf("%s: %q", s.dialect, found)
		}
	}
}

func TestDoctorOnBrokers(t *testing.T) {
	noSources(t)
	r, err := redis.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop() })
	if found, _, _ := doctorRun(t, statusFound, "--broker", r.URL()+"?ssl_cert_reqs=none"); !slices.Equal(found, []string{"redis.no_persistence"}) {
		t.Errorf("%q", found)
	}
	b, err := rabbitmq.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Stop() })
	_, _, errs := doctorRun(t, statusUsage, "--broker", b.URL())
	if !strings.Contains(errs, `has no queue "celery"`) || !strings.Contains(errs, "hint: ") {
		t.Error(errs)
	}
	declare(t, b.URL(), "celery", true)
	declare(t, b.URL(), "fleeting", false)
	pika := strings.Replace(b.URL(), "amqp:", "pyamqp:", 1) + "/" // as Celery writes it
	if found, gaps, _ := doctorRun(t, statusUnknown, "--broker", pika); len(found) > 0 || !slices.Contains(gaps, "rabbitmq.policy") {
		t.Errorf("%q %q", found, gaps)
	}
	if _, _, errs := doctorRun(t, statusUsage, "--broker", b.URL(), "--rabbitmq-api", "http://guest:hunter2@127.0.0.1:1"); !strings.Contains(errs, "management API") {
		t.Error(errs)
	}
	doctorOnSilent(t, "the broker's management API", 3*time.Second, func(address string) []string { // which the broker itself must keep
		return []string{"--broker", b.URL(), "--rabbitmq-api", "http://guest:hunter2@" + address}
	})
	if found, _, _ := doctorRun(t, statusFound, "--broker", b.URL(), "--broker-queue", "fleeting"); !slices.Equal(found, []string{"rabbitmq.not_durable"}) {
		t.Errorf("%q", found)
	}
}

func declare(t *testing.T, url, queue string, durable bool) {
	t.Helper()
	conn, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	channel, err := conn.Channel()
	if err == nil {
		_, err = channel.QueueDeclare(queue, durable, false, false, false, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}
