package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

func (c Celery) setting(name string) string { return fmt.Sprint(c.Settings[name]) }

func (c Celery) amqp() bool {
	return slices.Contains([]string{"amqp", "amqps", "pyamqp", "librabbitmq"}, c.Broker)
}

// visibility is how long a delivery may take; 0: a broker that has no such time.
func (c Celery) visibility() time.Duration {
	if n, is := c.Options["visibility_timeout"].(float64); is {
		return time.Duration(n * float64(time.Second))
	}
	switch {
	case strings.HasPrefix(c.Broker, "redis") || c.Broker == "sentinel":
		return redisVisibility
	case c.Broker == "sqs":
		return sqsVisibility
	}
	return 0
}

// celery is what counts for the whole application.
func (e *exam) celery(c Celery) {
	subject := "Celery"
	off := func(name string) bool { return c.setting(name) == "false" }
	on := func(name string) bool { return c.setting(name) == "true" }
	if mode := c.setting("task_default_delivery_mode"); mode == "transient" || mode == "1" {
		e.add("celery.transient", subject, "task_default_delivery_mode = %s", mode)
	}
	if c.amqp() && fmt.Sprint(c.Options["confirm_publish"]) != "true" {
		e.add("celery.no_confirms", subject, "broker_transport_options has no confirm_publish = True")
	}
	if off("task_publish_retry") {
		e.add("celery.publish_retry", subject, "task_publish_retry = False")
	}
	if off("broker_connection_retry") {
		e.add("celery.connection_retry", subject, "broker_connection_retry = False")
	}
	if on("worker_cancel_long_running_tasks_on_connection_loss") {
		e.add("celery.cancel", subject, "worker_cancel_long_running_tasks_on_connection_loss = True")
	}
	if on("task_always_eager") {
		e.add("celery.eager", subject, "task_always_eager = True")
	}
	if c.setting("worker_pool") == "solo" {
		e.add("celery.solo", subject, "worker_pool = solo")
	}
	if on("worker_deduplicate_successful_tasks") {
		e.add("celery.deduplicate", subject, "worker_deduplicate_successful_tasks = True")
	}
}

// celeryTask is what counts for one job.
func (e *exam) celeryTask(c Celery, j job.Job) {
	e.celeryTimes(c, j)
	task, is := c.Tasks[j.Message]
	if !is {
		e.gap("celery.task", "the application has no task %q, which the job %s names", j.Message, j.Type)
		return
	}
	switch {
	case !task.AcksLate:
		e.add("celery.acks_early", j.Message, "acks_late = False")
	case !task.WorkerLost:
		e.add("celery.worker_lost", j.Message, "reject_on_worker_lost = False")
	}
	if task.Expires != nil {
		e.add("celery.expires", j.Message, "expires = %s", seconds(task.Expires))
	}
	e.celeryLimits(task, j)
}

func (e *exam) celeryTimes(c Celery, j job.Job) {
	wait := c.visibility()
	if wait > 0 && wait < j.StoredLease() {
		e.add("celery.visibility", "Celery", "visibility_timeout is %s, and the lease of %s %s", jobfile.FormatDuration(wait), j.Type, jobfile.FormatDuration(j.StoredLease()))
	}
	if c.amqp() {
		wait = consumerTimeout
	}
	n, _ := c.Settings["worker_prefetch_multiplier"].(float64)
	behind := time.Duration(n+1) * j.LongestRun
	switch {
	case wait == 0 || n == 1:
	case n == 0:
		e.add("celery.prefetch", "Celery", "worker_prefetch_multiplier = 0 fetches without limit")
	case behind > wait:
		e.add("celery.prefetch", "Celery", "%d messages wait for up to %s, and the broker for %s", int(n), jobfile.FormatDuration(behind), jobfile.FormatDuration(wait))
	}
}

func (e *exam) celeryLimits(task CeleryTask, j job.Job) {
	hard, soft := seconds(task.TimeLimit), seconds(task.SoftLimit)
	for _, limit := range []struct {
		name string
		d    time.Duration
	}{{"soft_time_limit", soft}, {"time_limit", hard}} {
		switch {
		case limit.d == 0:
		case limit.d <= j.LongestRun:
			e.add("celery.limit_short", j.Message, "%s is %s, and longest_run %s", limit.name, limit.d, j.LongestRun)
		case limit.d >= j.Lease:
			e.add("celery.limit_long", j.Message, "%s is %s, and the lease %s", limit.name, limit.d, j.Lease)
		}
	}
	switch {
	case hard == 0 && soft == 0:
		e.add("celery.no_limit", j.Message, "neither soft_time_limit nor time_limit is set")
	case hard > 0 && (soft == 0 || soft >= hard) && task.AcksLimit:
		e.add("celery.limit_kills", j.Message, "time_limit is %s, and soft_time_limit is not below it", hard)
	}
}

// seconds as a duration; 0: none.
func seconds(n *float64) time.Duration {
	if n == nil {
		return 0
	}
	return time.Duration(*n * float64(time.Second))
}
