package differential_test

import (
	"slices"
	"strconv"
	"strings"
)

// The steps that send.

func (r *run) send(s step) (string, error) {
	p := s.message(unquote(s.word(0)))
	p["QueueUrl"] = r.url(s.queue)
	a, err := r.call("SendMessage", p)
	if err != nil {
		return "", err
	}
	seen := r.sent(a.MessageId, a.MD5OfMessageBody, a.SequenceNumber, p["MessageBody"].(string))
	if given, ok := p["MessageAttributes"].(attributes); ok && a.MD5OfMessageAttributes != digest(given) {
		seen += " attributes-md5!"
	}
	return seen, nil
}

// message is the parameters of one message, as the options have them.
func (s step) message(body string) params {
	p := params{"MessageBody": body}
	if n, err := strconv.Atoi(s.options["times"]); err == nil {
		p["MessageBody"] = strings.Repeat(body, n)
	}
	for option, name := range map[string]string{"group": "MessageGroupId", "dedup": "MessageDeduplicationId"} {
		if v, ok := s.options[option]; ok {
			p[name] = v
		}
	}
	if s.options["dedup"] == "sha256" {
		p["MessageDeduplicationId"] = contentDigest(body)
	}
	s.number(p, "delay", "DelaySeconds")
	for name, v := range s.options {
		if name, ok := strings.CutPrefix(name, "attribute."); ok {
			kind, value, _ := strings.Cut(v, ":")
			p["MessageAttributes"] = attributes{name: {kind, value}}
		}
	}
	return p
}

func (s step) number(p params, option, name string) {
	if v, ok := s.options[option]; ok {
		p[name], _ = strconv.Atoi(v)
	}
}

// sent is the message's number, and what is wrong with the answer.
func (r *run) sent(id, md5, sequence, body string) string {
	seen := r.message(id)
	if md5 != bodyDigest(body) {
		seen += " md5!"
	}
	if old, ok := r.numbers[id]; ok && old != sequence {
		seen += " sequence!"
	}
	r.numbers[id] = sequence
	return seen
}

func (r *run) message(id string) string {
	if id == "" {
		return "no-id!"
	}
	if r.messages[id] == 0 {
		r.messages[id] = len(r.messages) + 1
	}
	return "m" + strconv.Itoa(r.messages[id])
}

// sendBatch takes entries such as 1=body or 1=body/delay=3/group=g.
func (r *run) sendBatch(s step) (string, error) {
	bodies := map[string]string{}
	return r.batch("SendMessageBatch", s, func(id, given string) params {
		one := step{options: map[string]string{}}
		parts := strings.Split(given, "/")
		for _, option := range parts[1:] {
			name, value, _ := strings.Cut(option, "=")
			one.options[name] = value
		}
		bodies[id] = unquote(parts[0])
		return one.message(bodies[id])
	}, func(d done) string {
		return r.sent(d.MessageId, d.MD5OfMessageBody, d.SequenceNumber, bodies[d.Id])
	})
}

func (r *run) batch(action string, s step, entry func(id, given string) params, show func(done) string) (string, error) {
	entries := []params{}
	for _, w := range s.words {
		id, given, _ := strings.Cut(w, "=")
		p := entry(id, given)
		p["Id"] = id
		entries = append(entries, p)
	}
	a, err := r.call(action, params{"QueueUrl": r.url(s.queue), "Entries": entries})
	var seen []string
	for _, d := range a.Successful {
		seen = append(seen, d.Id+":"+show(d))
	}
	for _, f := range a.Failed {
		code := f.Id + ":" + f.Code
		if !f.SenderFault {
			code += "(receiver's-fault)"
		}
		seen = append(seen, code)
	}
	slices.Sort(seen)
	return orNone(seen), err
}
