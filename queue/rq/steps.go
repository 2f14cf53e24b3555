package rq

import (
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// The names of the steps that end a delivery.
const (
	stepFinish  = "finish a job"
	stepFail    = "fail a job"
	stepPutBack = "put a job back"
)

// stepName calls the end of a delivery by what becomes of the job, and what is about none by
// that.
func stepName(said respwire.Said) string {
	switch {
	case said.Delivery:
		return ""
	case isBeat(said.Commands):
		return queue.Beat
	case len(removed(said.Commands, startedPrefix)) == 0:
		return ""
	}
	switch does := func(verb, prefix string) bool {
		return slices.ContainsFunc(said.Commands, func(c respwire.Command) bool {
			return strings.HasSuffix(c.Name, verb) && len(c.Args) > 0 && strings.HasPrefix(string(c.Args[0]), prefix)
		})
	}; {
	case does("ZADD", failedPrefix):
		return stepFail
	case does("PUSH", queuePrefix), does("ZADD", scheduledPrefix):
		return stepPutBack
	}
	return stepFinish
}

// isBeat: all of it is about the worker itself, or it is a heartbeat while a job is at work.
func isBeat(commands []respwire.Command) bool {
	about := 0
	for _, c := range commands {
		switch key := string(slices.Concat(c.Args[:min(1, len(c.Args))]...)); {
		case strings.HasPrefix(key, "rq:worker:"), key == "rq:suspended":
			about++
		case c.Name == "ZADD" && strings.HasPrefix(key, startedPrefix) && len(c.Args) > 1 && string(c.Args[1]) == "XX":
			return true
		}
	}
	return about > 0 && about == len(commands)
}

// isPoll: the worker waits for a job.
func isPoll(s wire.Step) bool {
	_, keys, _ := strings.Cut(s.Text, " ")
	return queue.IsPoll(s.String()) && strings.HasPrefix(keys, queuePrefix)
}

// IsEnd is true of the transaction by which a job is finished.
func (q *Queue) IsEnd(_ string, s wire.Step) bool {
	return s.Peer == queue.Peer && s.Text == stepFinish
}

// Crossed follows the polls, and what comes of them. When all are open nothing is in hand any
// more: a job whose hash is gone is passed over, and stays where it is.
func (q *Queue) Crossed(worker string, e wire.Event) {
	if strings.HasPrefix(e.Step.Text, "Deliver "+queuePrefix) && (e.Phase == wire.Dropped || e.Phase == wire.Lost) {
		q.Missed(worker)
	}
	if !isPoll(e.Step) {
		return
	}
	switch e.Phase {
	case wire.Forwarded:
		if idle := q.Asks(worker); idle {
			q.Ended(worker)
			q.Disowned(worker, twoLooks)
		}
	case wire.Passed, wire.Lost, wire.Dropped, wire.Killed:
		q.Answered(worker)
	}
}
