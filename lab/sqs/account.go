package sqs

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	accountID = "000000000000"
	region    = "us-east-1"
	arnPrefix = "arn:aws:sqs:" + region + ":" + accountID + ":"
)

// account is all queues.
type account struct {
	queues map[string]*queue
}

func newAccount() *account { return &account{queues: map[string]*queue{}} }

var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// create makes a queue. One that exists with the same values is answered as if
// it were new.
func (a *account) create(now time.Time, name string, attributes map[string]string) *fault {
	plain, fifoName := strings.CutSuffix(name, ".fifo")
	if !queueName.MatchString(plain) || len(name) > 80 {
		return invalidParameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	attributes = maps.Clone(attributes)
	maps.DeleteFunc(attributes, func(name, value string) bool { return name == "FifoQueue" && value == "false" }) // a standard queue does not show it
	set, err := readSettings(attributes)
	if err != nil {
		return err
	}
	if old, ok := a.queues[name]; ok {
		return old.differs(attributes)
	}
	if set.fifo != fifoName {
		return invalidParameter("The name of a FIFO queue can only include alphanumeric characters, hyphens, or " +
			"underscores, must end with .fifo suffix and be 1 to 80 in length.")
	}
	if err := a.checkRedrive(set); err != nil {
		return err
	}
	a.queues[name] = newQueue(now, name, set)
	return nil
}

func (q *queue) differs(attributes map[string]string) *fault {
	now := q.set.show()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if now[name] != attributes[name] {
			return queueNameExists(name)
		}
	}
	return nil
}

func (a *account) configure(now time.Time, q *queue, attributes map[string]string) *fault {
	set, err := q.set.changed(attributes)
	if err != nil {
		return err
	}
	if err := a.checkRedrive(set); err != nil {
		return err
	}
	q.set, q.modified = set, now
	q.sweep(now)
	return nil
}

// find takes a name or a URL: only the last path element counts, because the
// client may come through a proxy on another port.
func (a *account) find(url string) (*queue, *fault) {
	q, ok := a.queues[url[strings.LastIndexByte(url, '/')+1:]]
	if !ok {
		return nil, queueDoesNotExist()
	}
	return q, nil
}

func (a *account) names(prefix string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a.queues)) {
		if strings.HasPrefix(name, prefix) {
			all = append(all, name)
		}
	}
	return all
}

// describe is all of GetQueueAttributes.
func (q *queue) describe(now time.Time) map[string]string {
	q.sweep(now)
	all, n := q.set.show(), q.counts()
	all["QueueArn"] = arnPrefix + q.name
	all["CreatedTimestamp"] = strconv.FormatInt(q.created.Unix(), 10)
	all["LastModifiedTimestamp"] = strconv.FormatInt(q.modified.Unix(), 10)
	all["ApproximateNumberOfMessages"] = strconv.Itoa(n.Visible)
	all["ApproximateNumberOfMessagesNotVisible"] = strconv.Itoa(n.InFlight)
	all["ApproximateNumberOfMessagesDelayed"] = strconv.Itoa(n.Delayed)
	return all
}

func (a *account) sweep(now time.Time) {
	for _, q := range a.queues {
		q.sweep(now)
	}
}

// wake is when something next happens in any queue by itself.
func (a *account) wake() (time.Time, bool) {
	var first time.Time
	for _, q := range a.queues {
		if at, ok := q.wake(); ok && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first, !first.IsZero()
}
