package celery

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// The names of the steps that the replay asks about.
const (
	stepAck      = "acknowledge"
	stepEarlyAck = "acknowledge before the work"
	stepOtherAck = "acknowledge what was put back"
	stepEnd      = "tell that a task has ended"
	stepEvents   = "tell task events"
	stepPoll     = "BRPOP "
)

// watch follows what one process says to Redis.
func (r *redisBroker) watch(worker string) respwire.Options {
	return respwire.Options{
		Name: func(said respwire.Said) string { return r.name(worker, said) },
		Saw: func(_ wire.Step, said respwire.Said) {
			if said.Delivery {
				r.gets(worker, onItsWay, handed)
				return
			}
			if said.Reply.IsError() || said.Transaction && said.Reply.IsNull() {
				return
			}
			if from, texts := said.Taken(); len(texts) > 0 {
				if m, ok := read(texts[0]); ok {
					r.received(worker, m, string(from), false)
				}
			}
			r.saw(worker, transactionOf(said.Commands))
		},
	}
}

// transaction is what the commands of one step do to the messages.
type transaction struct {
	noted, gone []string // tags
	pushed      []pushed
	events      []taskEvent
	answers     []answered
	ceiling     float64 // of what is asked for because it is overdue
}

type pushed struct {
	message
	place string
}

func transactionOf(commands []respwire.Command) (t transaction) {
	for _, c := range commands {
		if len(c.Args) < 2 {
			continue
		}
		switch key := string(c.Args[0]); {
		case c.Name == "HSET" && key == unacked:
			t.noted = append(t.noted, string(c.Args[1]))
		case c.Name == "HDEL" && key == unacked:
			t.gone = append(t.gone, string(c.Args[1]))
		case c.Name == "LPUSH" || c.Name == "RPUSH":
			for _, text := range c.Args[1:] {
				if m, ok := read(text); ok {
					t.pushed = append(t.pushed, pushed{m, key})
				} else if strings.HasSuffix(key, answer) {
					t.answers = append(t.answers, readAnswer(bodyOf(text)))
				}
			}
		case c.Name == "PUBLISH" && isEventKey(key):
			t.events = append(t.events, eventsIn(bodyOf(c.Args[1]))...)
		case (c.Name == "ZRANGE" || c.Name == "ZREVRANGEBYSCORE") && key == index:
			t.ceiling, _ = strconv.ParseFloat(string(c.Args[1]), 64) // or it is another question
		}
	}
	return t
}

func (r *redisBroker) saw(worker string, t transaction) {
	for _, tag := range t.noted {
		r.keeps(worker, tag)
	}
	for _, p := range t.pushed {
		if slices.Contains(t.gone, p.tag()) {
			r.restored(worker, p.message, p.place)
			t.gone = slices.DeleteFunc(t.gone, func(tag string) bool { return tag == p.tag() })
		} else {
			r.arrived(worker, p.message, p.place)
		}
	}
	for _, tag := range t.gone {
		r.acknowledged(worker, tag)
		r.wake(worker)
	}
	for _, e := range t.events {
		r.said(worker, e)
	}
	for _, a := range t.answers {
		r.hears(worker, a)
	}
	if t.ceiling > 0 {
		r.redeliversAfter(time.Since(time.UnixMilli(int64(t.ceiling * 1000))).Round(time.Second))
	}
}

// name calls a step by what it means to the messages.
func (r *redisBroker) name(worker string, said respwire.Said) string {
	if said.Delivery || len(said.Commands) == 0 {
		return ""
	}
	if c := said.Commands[0]; c.Name == "BRPOP" && len(c.Args) > 1 {
		return stepPoll + strings.Join(queuesOf(c.Args[:len(c.Args)-1]), " ")
	}
	switch t := transactionOf(said.Commands); {
	case len(t.gone) > 0 && len(t.pushed) == 0:
		return r.nameOfAck(worker, t.gone[0])
	case len(t.events) > 0:
		return r.nameOfEvents(worker, t.events)
	}
	return ""
}

// queuesOf are the queues of a poll, whose keys have one for each priority.
func queuesOf(keys [][]byte) (names []string) {
	for _, key := range keys {
		name, _, _ := strings.Cut(string(key), "\x06\x16")
		if _, remote, is := strings.Cut(name, ".reply."); is {
			name = "reply." + remote // before it is an id
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isPoll: the worker waits for a task. Answers to remote commands are polled for as well.
func isPoll(s wire.Step) bool {
	return s.Peer == queue.Peer && strings.HasPrefix(s.Text, stepPoll) && !strings.Contains(s.Text, ".pidbox")
}

func (r *redisBroker) isEnd(s wire.Step) bool { return s.Text == stepAck || s.Text == stepEnd }

// isNote: the worker notes that it has a task, before it begins with it.
func isNote(s wire.Step) bool { return strings.Contains(s.Text, "HSET "+unacked+";") }

func isCut(e wire.Event) bool { return e.Phase == wire.Dropped || e.Phase == wire.Lost }

// crossed follows the polls, and what comes of them. The first one waits until the worker has
// been told to tell its task events, or a message that is there already would be done before.
func (r *redisBroker) crossed(worker string, e wire.Event) {
	switch {
	case isNote(e.Step) && e.Phase == wire.Passed:
		r.gets(worker, handed, begun)
	case isNote(e.Step) && isCut(e):
		r.missed(worker, handed)
	case strings.HasPrefix(e.Step.Text, "Deliver ") && isCut(e):
		r.missed(worker, onItsWay)
	}
	if !isPoll(e.Step) {
		return
	}
	switch e.Phase {
	case wire.Held:
		if first := r.comes(worker); first {
			go r.command(worker)
		}
	case wire.Forwarded:
		r.asks(worker)
	case wire.Passed, wire.Lost, wire.Dropped, wire.Killed:
		r.answered(worker)
	}
}
