package differential_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The steps that receive.

// fetched is what a receive brought, and how long it took.
type fetched struct {
	step
	answer
	took time.Duration
	err  error
}

func (r *run) receive(s step) (string, error) { return r.show(r.fetch(s)) }

// fetch touches nothing of the run, so that a poll may do it meanwhile.
func (r *run) fetch(s step) fetched {
	p := params{"QueueUrl": r.url(s.queue), "AttributeNames": []string{"All"}, "MessageSystemAttributeNames": []string{"All"}}
	s.number(p, "max", "MaxNumberOfMessages")
	s.number(p, "visibility", "VisibilityTimeout")
	s.number(p, "wait", "WaitTimeSeconds")
	if names := s.options["attributes"]; names != "" {
		p["MessageAttributeNames"] = strings.Split(names, ",")
	}
	began := time.Now()
	a, err := r.call("ReceiveMessage", p)
	return fetched{s, a, time.Since(began), err}
}

// show says, of a wait that was asked for or expected, whether it was used up.
func (r *run) show(f fetched) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	var seen []string
	for _, m := range r.inOrder(f.queue, f.Messages) {
		seen = append(seen, r.received(m, f.options["show"] == "attributes"))
	}
	all := strings.Join(seen, ", ")
	if len(seen) == 0 {
		all = "none"
	}
	n, _ := strconv.Atoi(f.options["wait"] + f.options["expect"])
	switch {
	case n == 0:
		return all, nil
	case f.took < time.Duration(n)*900*time.Millisecond:
		return all + " (before the wait was over)", nil
	default:
		return all + " (after the whole wait)", nil
	}
}

// inOrder: a standard queue promises no order, so there it is that of bodies.
func (r *run) inOrder(queue string, all []message) []message {
	if !strings.HasSuffix(queue, ".fifo") {
		slices.SortFunc(all, func(a, b message) int { return cmp.Compare(a.Body, b.Body) })
	}
	return all
}

func (r *run) received(m message, names bool) string {
	r.receipts = append(r.receipts, m.ReceiptHandle)
	seen := fmt.Sprintf("%s:%s n=%s r%d", r.message(m.MessageId), m.Body, m.Attributes["ApproximateReceiveCount"], len(r.receipts))
	if m.MD5OfBody != bodyDigest(m.Body) {
		seen += " md5!"
	}
	if g := m.Attributes["MessageGroupId"]; g != "" {
		seen += " group=" + g
	}
	switch d := m.Attributes["MessageDeduplicationId"]; {
	case d == "":
	case d == contentDigest(m.Body):
		seen += " dedup=sha256"
	case len(d) > 8: // the scenarios' own are short
		seen += " dedup=another"
	default:
		seen += " dedup=" + d
	}
	if sent, ok := r.numbers[m.MessageId]; ok && sent != m.Attributes["SequenceNumber"] {
		seen += " sequence!"
	}
	for _, name := range slices.Sorted(maps.Keys(m.MessageAttributes)) {
		seen += " " + name + "=" + m.MessageAttributes[name].DataType + ":" + m.MessageAttributes[name].StringValue
	}
	if len(m.MessageAttributes) > 0 && m.MD5OfMessageAttributes != digest(attributes(m.MessageAttributes)) {
		seen += " attributes-md5!"
	}
	if names {
		seen += " with " + strings.Join(slices.Sorted(maps.Keys(m.Attributes)), ",")
	}
	return seen
}

// poll starts a receive and goes on after a while in which it begins to wait.
func (r *run) poll(s step) (string, error) {
	got := make(chan fetched, 1)
	go func() { got <- r.fetch(s) }()
	r.polls = append(r.polls, got)
	time.Sleep(r.lead)
	return "ok", nil
}

// await is the answer of the oldest poll; "await 2" is those of the two oldest,
// in no order, for nobody says which of two polls is served first.
func (r *run) await(s step) (string, error) {
	n, _ := strconv.Atoi(s.queue)
	n = max(n, 1)
	if len(r.polls) < n {
		return "", errors.New("await without a poll")
	}
	var all []string
	for _, poll := range r.polls[:n] {
		seen, err := r.show(<-poll)
		if err != nil {
			return "", err
		}
		all = append(all, seen)
	}
	r.polls = r.polls[n:]
	slices.Sort(all)
	return strings.Join(all, "; "), nil
}
