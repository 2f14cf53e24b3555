package doctor

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// What a broker does where nobody has said otherwise.
const (
	redisVisibility = time.Hour        // of Celery on Redis
	sqsVisibility   = 30 * time.Minute // of Celery on SQS
	consumerTimeout = 30 * time.Minute // of RabbitMQ
)

func (e *exam) redis(r Redis, c *Celery) {
	const subject = "Redis"
	e.missing(r.Missing)
	if strings.HasPrefix(r.Policy, "allkeys-") {
		e.add("redis.eviction", subject, "maxmemory-policy is %s", r.Policy)
	}
	unread := r.Missing["redis.snapshots"] != ""
	switch {
	case r.AppendOnly:
		if r.Fsync == "no" {
			e.add("redis.appendfsync", subject, "appendfsync is no")
		}
	case unread: // whether there are snapshots is not known
	case r.Save == "":
		e.add("redis.no_persistence", subject, "appendonly is no, and save is empty")
	default:
		e.add("redis.snapshots", subject, "appendonly is no, and save is %s", r.Save)
	}
	if r.Replica {
		e.add("redis.replica", subject, "its role is that of a replica")
	}
	if r.Replicas > 0 && r.MinReplicas == 0 {
		e.add("redis.failover", subject, "%d replicas are connected, and min-replicas-to-write is 0", r.Replicas)
	}
	limit := redisVisibility
	if c != nil {
		limit = c.visibility()
	}
	if r.OldestTaken > limit {
		e.add("redis.unacked", subject, "the oldest is %s old", jobfile.FormatDuration(r.OldestTaken.Truncate(time.Second)))
	}
}

func (e *exam) rabbit(r RabbitMQ) {
	e.missing(r.Missing)
	set := func(argument, policy string) (string, bool) {
		if v, is := r.Arguments[argument]; is {
			return v, true
		}
		v, is := r.Policy[policy]
		return v, is
	}
	if !r.Durable {
		e.add("rabbitmq.not_durable", r.Queue, "durable is false")
	}
	if r.AutoDelete {
		e.add("rabbitmq.auto_delete", r.Queue, "auto_delete is true")
	}
	if v, is := set("x-expires", "expires"); is {
		e.add("rabbitmq.expires", r.Queue, "it expires after %s ms without a consumer", v)
	}
	if v, is := set("x-message-ttl", "message-ttl"); is {
		e.add("rabbitmq.message_ttl", r.Queue, "messages expire after %s ms", v)
	}
	overflow, _ := set("x-overflow", "overflow")
	for _, name := range []string{"max-length", "max-length-bytes"} {
		if v, is := set("x-"+name, name); is && !strings.HasPrefix(overflow, "reject-publish") {
			e.add("rabbitmq.max_length", r.Queue, "%s is %s", name, v)
		}
	}
	if r.Policy == nil {
		e.gap("rabbitmq.policy", "AMQP tells neither which policies apply to the queue nor how long the broker waits for an acknowledgement; with --rabbitmq-api the broker does")
	} else if r.Policy["consumer-timeout"] == "" { // nobody can mend that here, so it does not matter
		e.report.Gaps = append(e.report.Gaps, Gap{ID: "rabbitmq.consumer_timeout", Reason: "the server's own consumer_timeout is told neither by AMQP nor by the management API, so its default of " +
			jobfile.FormatDuration(consumerTimeout) + " is taken; rabbitmqctl environment shows it, and from 3.11.15 on a policy can set it"})
	}
}

// rabbitFor is what depends on a job.
func (e *exam) rabbitFor(r RabbitMQ, j job.Job) {
	limit, is := r.Arguments["x-delivery-limit"]
	if p, there := r.Policy["delivery-limit"]; there {
		limit, is = p, true
	}
	if n, err := strconv.Atoi(limit); is && err == nil && n < deliveries(j, false)-1 {
		e.add("rabbitmq.delivery_limit", r.Queue, "it is %d, and %s may need %d", n, j.Type, deliveries(j, false)-1)
	}
	wait, told := consumerTimeout, "by default"
	if n, err := strconv.ParseInt(r.Policy["consumer-timeout"], 10, 64); err == nil {
		wait, told = time.Duration(n)*time.Millisecond, "in this queue"
	}
	if j.LongestRun >= wait {
		e.add("rabbitmq.consumer_timeout", r.Queue, "the broker waits for %s %s, and %s runs for up to %s", jobfile.FormatDuration(wait), told, j.Type, jobfile.FormatDuration(j.LongestRun))
	}
}

// volatile are last words of a path that change with each message.
var volatile = []string{
	"task_id", "taskid", "message_id", "messageid", "jid", "job_id", "jobid", "delivery_tag", "correlation_id", "request_id", "requestid", "trace_id",
	"timestamp", "now", "sent_at", "enqueued_at", "queued_at", "published_at", "attempt", "attempts", "retry", "retries", "retry_count", "nonce", "random",
}

func isVolatile(p job.Path) bool {
	text := strings.ToLower(strings.TrimRight(p.String(), `"]`))
	last := text[strings.LastIndexAny(text, `."[`)+1:]
	return slices.Contains(volatile, last) || p.Root() == "job" && last == "created_at" // by Sidekiq; elsewhere it may be an event's own
}
