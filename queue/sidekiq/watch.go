package sidekiq

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// The sets of jobs that wait.
const (
	schedule = "schedule"
	retry    = "retry"
	deadSet  = "dead"
)

// watch follows what one process says to Redis.
func (q *Queue) watch(worker string) respwire.Options {
	return respwire.Options{Saw: func(_ wire.Step, said respwire.Said) {
		if said.Reply.IsError() || said.Reply.IsNull() { // such as SET with NX
			return
		}
		from, texts := said.Taken()
		if said.Delivery {
			q.eachJob(texts, func(j job, _ []byte) { q.Delivered(worker, j.JID) })
			return
		}
		if from != nil {
			q.eachJob(texts, func(j job, text []byte) { q.took(worker, j.JID, string(from), text, said.Commands[0]) })
		}
		for _, c := range said.Commands {
			q.saw(worker, c)
		}
	}}
}

func (q *Queue) eachJob(texts [][]byte, do func(job, []byte)) {
	for _, text := range texts {
		if j, ok := read(text); ok {
			do(j, text)
		}
	}
}

// took is a job that is taken off a list: a queue, or that of a worker that is dead.
func (q *Queue) took(worker, id, from string, text []byte, by respwire.Command) {
	switch {
	case strings.HasPrefix(from, workingPrefix):
		q.Reclaimed(worker, id, from)
	case strings.HasPrefix(from, queuePrefix):
		q.Received(worker, id, from, text)
		if to := string(by.Args[min(1, len(by.Args)-1)]); strings.HasPrefix(to, workingPrefix) {
			q.Keep(worker, id, to)
			q.Answered(worker)
		}
	}
}

func (q *Queue) saw(worker string, c respwire.Command) {
	if len(c.Args) < 2 {
		return
	}
	key := string(c.Args[0])
	switch {
	case (c.Name == "LPUSH" || c.Name == "RPUSH") && strings.HasPrefix(key, queuePrefix):
		q.eachJob(c.Args[1:], func(j job, text []byte) { q.Arrived(worker, j.JID, key, text) })
	case c.Name == "ZADD" && (key == schedule || key == retry):
		for i := 1; i+1 < len(c.Args); i += 2 {
			q.delayed(worker, key, c.Args[i], c.Args[i+1])
		}
	case c.Name == "ZADD" && (key == deadSet || key == interrupted):
		q.eachJob(c.Args[1:], func(j job, text []byte) { q.Died(worker, j.JID, key, whyDead(key, text)) })
	case c.Name == "SREM" && key == "processes":
		q.Ended(worker)
	case c.Name == "HSET" || c.Name == "HMSET":
		q.heartbeat(worker, c.Args[1:])
	default:
		q.sawReliable(worker, c)
	}
}

// delayed reads a score, which is a time in seconds by the worker's clock: the machine's,
// whatever the replay let pass.
func (q *Queue) delayed(worker, key string, score, text []byte) {
	seconds, err := strconv.ParseFloat(string(score), 64)
	j, ok := read(text)
	if err != nil || !ok {
		return
	}
	wait := time.Until(time.UnixMicro(int64(seconds * 1e6)))
	q.Delayed(worker, j.JID, key, text, q.Now().Add(wait))
}

// heartbeat: a process says how many threads it has, of all its capsules together; since
// Sidekiq 8.1 in a field of its own.
func (q *Queue) heartbeat(worker string, fields [][]byte) {
	for i := 0; i+1 < len(fields); i += 2 {
		var said struct {
			Concurrency int `json:"concurrency"`
		}
		switch string(fields[i]) {
		case "info":
			_ = json.Unmarshal(fields[i+1], &said)
		case "concurrency":
			said.Concurrency, _ = strconv.Atoi(string(fields[i+1]))
		}
		if said.Concurrency > 0 {
			q.Threads(worker, said.Concurrency)
		}
	}
}

// isPoll: the worker waits for a job.
func isPoll(s wire.Step) bool {
	_, keys, _ := strings.Cut(s.Text, " ")
	return queue.IsPoll(s.String()) && strings.HasPrefix(keys, queuePrefix)
}

// isDelivery: the worker gets a job.
func isDelivery(s wire.Step) bool {
	return s.Peer == queue.Peer && strings.HasPrefix(s.Text, "Deliver "+queuePrefix)
}

// IsEnd is true of the poll by which a worker shows that it is done, where there is no
// acknowledgement.
func (q *Queue) IsEnd(worker string, s wire.Step) bool {
	return isPoll(s) && q.WouldEnd(worker) || isAcknowledgement(s) && q.Keeps(worker)
}

// Crossed follows the polls, and what comes of them.
func (q *Queue) Crossed(worker string, e wire.Event) {
	if isDelivery(e.Step) && (e.Phase == wire.Dropped || e.Phase == wire.Lost) {
		q.Missed(worker)
	}
	if !isPoll(e.Step) {
		return
	}
	if asksInTurn(e.Step) {
		if e.Phase == wire.Forwarded {
			q.Polls(worker, askPause)
		}
		return
	}
	switch e.Phase {
	case wire.Forwarded:
		if idle := q.Asks(worker); idle {
			q.Ended(worker)
		}
	case wire.Passed, wire.Lost, wire.Dropped, wire.Killed:
		q.Answered(worker)
	}
}
