package guardtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/twiceproof/twiceproof"
	"github.com/twiceproof/twiceproof/job"
)

// deliver hands a message to a worker that has a guard of its own, as in a process of
// its own.
func (w *world) deliver(l line) error {
	name := l.words[0]
	if old := w.workers[name]; old != nil && old.active {
		return fmt.Errorf("%s is still under way", name)
	}
	k := w.newWorker(l)
	g, err := twiceproof.New(w.db, w.Dialect, w.job, twiceproof.Options{
		Worker: name, Log: slog.New(slog.DiscardHandler), LookUp: k.lookUp,
	})
	if err != nil {
		return err
	}
	d, err := w.delivery(l)
	if err != nil {
		return err
	}
	w.workers[name] = k
	e, err := k.begin(g, d)
	return errors.Join(err, w.struck(), e.compare(l))
}

// wake lets a paused worker go on, with further words.
func (w *world) wake(l line) error {
	k := w.workers[l.words[0]]
	if k == nil || !k.active {
		return fmt.Errorf("%s does not pause", l.words[0])
	}
	k.resume <- resumption{words: l.words[1:], result: l.result()}
	e, err := k.wait()
	return errors.Join(err, w.struck(), e.compare(l))
}

func (k *worker) lookUp(_ context.Context, op *twiceproof.Operation) (bool, error) {
	return k.world.service.lookUp(k, op)
}

// delivery is the message that a line describes, or one that the sweep has put back.
func (w *world) delivery(l line) (twiceproof.Delivery, error) {
	if l.option("from", "") == "queue" {
		if len(w.queue) == 0 {
			return twiceproof.Delivery{}, errors.New("the queue is empty")
		}
		message := w.queue[0]
		w.queue = w.queue[1:]
		fields, err := fieldsOf(message)
		return twiceproof.Delivery{Fields: fields, Body: message, Message: message}, err
	}
	body := fmt.Sprintf(`{"order":%q,"amount":%s}`, l.order(), l.option("amount", "12"))
	if l.order() == "null" {
		body = `{"order":null}`
	}
	fields, err := fieldsOf([]byte(body))
	return twiceproof.Delivery{Fields: fields, Body: []byte(body), Message: l.message(body)}, err
}

// message is the body, unless the line wants another one to be stored.
func (l line) message(body string) []byte {
	n, err := l.number("message_bytes", 0)
	switch {
	case err == nil && n > 0:
		return bytes.Repeat([]byte("x"), n)
	case l.option("message", "") == "other":
		return []byte(strings.Replace(body, l.order(), "another", 1))
	case l.option("message", "") == "broken":
		return []byte("{")
	}
	return []byte(body)
}

func (l line) result() []byte {
	n, err := l.number("result_bytes", 0)
	if err == nil && n > 0 {
		return bytes.Repeat([]byte("x"), n)
	}
	if value, ok := l.options["result"]; ok {
		return []byte(value)
	}
	return nil
}

// fieldsOf decodes a message; numbers keep every digit.
func fieldsOf(message []byte) (job.Fields, error) {
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	var body map[string]any
	if err := d.Decode(&body); err != nil {
		return nil, err
	}
	return job.Fields{"body": body}, nil
}
