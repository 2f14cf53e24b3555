package differential_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// run is one scenario on one endpoint. Queues get names of their own, so that
// scenarios share an endpoint; messages and receipts are numbered in the order
// in which they are first seen.
type run struct {
	ctx      context.Context
	client   client
	wait     func(time.Duration)
	prefix   string
	urls     map[string]string
	messages map[string]int
	numbers  map[string]string // SequenceNumber by message id
	receipts []string
	polls    []<-chan fetched
	lead     time.Duration // of a poll before the next step
	patience time.Duration // with one step, 0: without end
	spelling *spelling
}

func newRun(ctx context.Context, c client, wait func(time.Duration), prefix string) *run {
	return &run{
		ctx: ctx, client: c, wait: wait, prefix: prefix,
		lead: 100 * time.Millisecond,
		urls: map[string]string{}, messages: map[string]int{}, numbers: map[string]string{},
	}
}

// step is a line of a scenario: an action, mostly a queue, words, and options
// such as max=10.
type step struct {
	action, queue string
	words         []string
	options       map[string]string
}

func readStep(line string) step {
	s := step{options: map[string]string{}}
	fields := strings.Fields(line)
	s.action = fields[0]
	if len(fields) > 1 {
		s.queue = fields[1]
	}
	for _, f := range fields[min(2, len(fields)):] {
		if name, value, ok := strings.Cut(f, "="); ok && name != "" && !strings.HasSuffix(s.action, "batch") {
			s.options[name] = value
		} else {
			s.words = append(s.words, f)
		}
	}
	return s
}

func (s step) word(i int) string {
	if i < len(s.words) {
		return s.words[i]
	}
	return ""
}

// quick says of a step that it is not meant to take a while, and that its time
// counts: nothing has begun when a queue is made.
func (s step) quick() bool {
	return !slices.Contains([]string{"wait", "poll", "await", "create"}, s.action) && s.options["wait"] == "" && s.options["expect"] == ""
}

// verbs are what a scenario can say. Each answers what was observed.
var verbs = map[string]func(*run, step) (string, error){
	"create": (*run).create, "set": (*run).set, "attributes": (*run).attributes, "counts": (*run).counts,
	"url": (*run).find, "purge": (*run).purge, "call": (*run).other,
	"send": (*run).send, "sendbatch": (*run).sendBatch,
	"receive": (*run).receive, "poll": (*run).poll, "await": (*run).await,
	"delete": (*run).remove, "deletebatch": (*run).removeBatch,
	"change": (*run).change, "changebatch": (*run).changeBatch,
	"wait": (*run).pause,
}

// do takes one step. An endpoint that does not answer is an error; one that
// refuses is an observation.
func (r *run) do(line string) (string, error) {
	s := readStep(line)
	verb, ok := verbs[s.action]
	if !ok {
		return "", fmt.Errorf("no such step: %s", line)
	}
	got, err := verb(r, s)
	if code, ok := err.(refused); ok {
		return r.spelling.read(string(code)), nil
	}
	return got, err
}

func (r *run) call(action string, p params) (answer, error) { return r.client.call(r.ctx, action, p) }

// url is the queue's, or for a queue that was not made one that looks like it.
func (r *run) url(queue string) string {
	if url, ok := r.urls[queue]; ok {
		return url
	}
	return r.client.url + "/000000000000/" + r.name(queue)
}

func (r *run) name(queue string) string { return r.prefix + queue }

func (r *run) create(s step) (string, error) {
	given, err := r.settings(s)
	if err != nil {
		return "", err
	}
	a, err := r.call("CreateQueue", params{"QueueName": r.name(s.queue), "Attributes": given})
	if err == nil {
		r.urls[s.queue] = a.QueueUrl
	}
	return "ok", err
}

func (r *run) set(s step) (string, error) {
	given, err := r.settings(s)
	if err != nil {
		return "", err
	}
	_, err = r.call("SetQueueAttributes", params{"QueueUrl": r.url(s.queue), "Attributes": given})
	return "ok", err
}

// settings are the step's options, with dead=queue/3 spelt out.
func (r *run) settings(s step) (map[string]string, error) {
	given := maps.Clone(s.options)
	target, ok := given["dead"]
	if !ok {
		return given, nil
	}
	delete(given, "dead")
	queue, limit, _ := strings.Cut(target, "/")
	arn := "arn:aws:sqs:us-east-1:000000000000:" + r.name(queue)
	if _, made := r.urls[queue]; made {
		a, err := r.call("GetQueueAttributes", params{"QueueUrl": r.url(queue), "AttributeNames": []string{"QueueArn"}})
		if err != nil {
			return nil, err
		}
		arn = a.Attributes["QueueArn"]
	}
	given["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%s}`, arn, limit)
	return given, nil
}

func (r *run) attributes(s step) (string, error) {
	a, err := r.call("GetQueueAttributes", params{"QueueUrl": r.url(s.queue), "AttributeNames": s.words})
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a.Attributes)) {
		all = append(all, name+"="+a.Attributes[name])
	}
	return orNone(all), err
}

// counts of an emulator are asked for until two answers in a row agree: they are approximate
// by name. Counter-example: ElasticMQ, for which a message is delayed until its next
// millisecond.
func (r *run) counts(s step) (string, error) {
	before, err := r.count(s)
	for r.patience > 0 && err == nil {
		r.wait(r.patience / 16)
		now, err := r.count(s)
		if err != nil || now == before {
			return now, err
		}
		before = now
	}
	return before, err
}

func (r *run) count(s step) (string, error) {
	const all = "ApproximateNumberOfMessages"
	names := []string{all, all + "NotVisible", all + "Delayed"}
	a, err := r.call("GetQueueAttributes", params{"QueueUrl": r.url(s.queue), "AttributeNames": names})
	return fmt.Sprintf("visible %s, in flight %s, delayed %s",
		a.Attributes[names[0]], a.Attributes[names[1]], a.Attributes[names[2]]), err
}

func (r *run) find(s step) (string, error) {
	_, err := r.call("GetQueueUrl", params{"QueueName": r.name(s.queue)})
	return "ok", err
}

func (r *run) purge(s step) (string, error) {
	_, err := r.call("PurgeQueue", params{"QueueUrl": r.url(s.queue)})
	return "ok", err
}

// other is any action by its name, with texts as parameters.
func (r *run) other(s step) (string, error) {
	p := params{"QueueUrl": r.url(s.queue)}
	for name, value := range s.options {
		p[name] = value
	}
	_, err := r.call(s.word(0), p)
	return "ok", err
}

// pause is "wait 1.5", in seconds.
func (r *run) pause(s step) (string, error) {
	n, err := strconv.ParseFloat(s.queue, 64)
	if err == nil {
		r.wait(time.Duration(n * float64(time.Second)))
	}
	return "ok", err
}

func orNone(all []string) string {
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, " ")
}
