package rq

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// twoLooks is when RQ gives back what a worker has taken and not begun: it sees it at one look
// for dead workers, every ten minutes, and acts at the next.
const twoLooks = 20 * time.Minute

// watch follows what one process says to Redis.
func (q *Queue) watch(worker string) respwire.Options {
	return respwire.Options{Name: stepName, Saw: func(_ wire.Step, said respwire.Said) {
		if said.Reply.IsError() || said.Reply.IsNull() {
			return
		}
		switch from, ids := said.Taken(); {
		case len(ids) == 0 || !strings.HasPrefix(string(from), queuePrefix):
		case said.Delivery:
			q.Delivered(worker, string(ids[0]))
			return
		default:
			q.took(worker, string(ids[0]), string(from), said.Commands[0])
		}
		q.recovers(worker, said.Commands)
		for i, c := range said.Commands {
			q.saw(worker, c, reply(said, i), removed(said.Commands, scheduledPrefix))
		}
		for _, id := range removed(said.Commands, startedPrefix) { // after where the job has gone
			q.Acknowledged(worker, id)
		}
	}}
}

// reply is that to one command of a step.
func reply(said respwire.Said, i int) string {
	if !said.Transaction {
		return string(said.Reply.Text)
	}
	if i < len(said.Reply.Elements) {
		return string(said.Reply.Elements[i].Text)
	}
	return ""
}

// took is a job that is taken off its queue: to the intermediate list, by a worker with one
// queue, else to nowhere.
func (q *Queue) took(worker, id, from string, by respwire.Command) {
	q.Received(worker, id, from, nil)
	if strings.HasSuffix(by.Name, "LMOVE") {
		q.Keep(worker, id, from+between)
		q.Beats(worker, twoLooks)
	}
}

func (q *Queue) saw(worker string, c respwire.Command, reply string, due []string) {
	if len(c.Args) < 2 {
		return
	}
	key, last := string(c.Args[0]), string(c.Args[len(c.Args)-1])
	switch c.Name {
	case "RPUSH", "LPUSH":
		if strings.HasPrefix(key, queuePrefix) && slices.Contains(due, last) {
			q.CameDue(last, key, nil)
		} else if strings.HasPrefix(key, queuePrefix) {
			q.Arrived(worker, last, key, nil)
		}
	case "ZADD":
		q.registered(worker, key, last, string(c.Args[len(c.Args)-2]), reply)
	case "SADD":
		if key == workers {
			q.Threads(worker, q.more(worker, 1))
		}
	case "SREM":
		if key == workers {
			q.Threads(worker, q.more(worker, -1))
			q.Ended(worker)
		}
	case "EVAL", "EVALSHA":
		q.script(c, reply)
	}
}

// registered is a job that is put into one of the registries.
func (q *Queue) registered(worker, key, member, score, reply string) {
	if queue, is := strings.CutPrefix(key, startedPrefix); is {
		q.begins(worker, queue, member, score)
	} else if queue, is := strings.CutPrefix(key, scheduledPrefix); is {
		q.delayed(worker, queue, member, score, reply)
	} else if strings.HasPrefix(key, failedPrefix) {
		q.Died(worker, member, key, "no retry is left")
	}
}

// more counts the workers in one: a pool has several.
func (q *Queue) more(worker string, n int) int {
	q.Lock()
	defer q.Unlock()
	q.pool[worker] = max(0, q.pool[worker]+n)
	return q.pool[worker]
}

// begins is a job in the started registry, or what tells there that it is still at work. RQ
// takes it from there when nothing has been told for so long.
func (q *Queue) begins(worker, queue, member, until string) {
	id, _, _ := strings.Cut(member, ":")
	q.Keep(worker, id, startedPrefix+queue+" "+member)
	q.Beats(worker, wait(until))
}

// delayed is a job in the scheduled registry. It is there once, however many copies of it
// wait.
func (q *Queue) delayed(worker, queue, id, at, added string) {
	if added == "0" {
		q.Acknowledged(worker, id)
		return
	}
	q.Delayed(worker, id, queuePrefix+queue, nil, q.Now().Add(wait(at)))
}

// wait is until a time in seconds by the worker's clock: the machine's, whatever the replay
// let pass.
func wait(score string) time.Duration {
	seconds, err := strconv.ParseInt(score, 10, 64)
	if err != nil { // +inf
		return 100 * 365 * 24 * time.Hour
	}
	return time.Until(time.Unix(seconds, 0))
}

// script is what puts a job on unless one of its id is there (unique=True), at once or for a
// time; or it is the scheduler's, about its lock.
func (q *Queue) script(c respwire.Command, reply string) {
	keys := c.Keys()
	if len(keys) == 0 || len(c.Args) < 2+len(keys) {
		return
	}
	if strings.HasPrefix(string(keys[0]), "rq:scheduler-lock:") {
		q.Lock()
		q.scheduler = true
		q.Unlock()
		return
	}
	args := c.Args[2+len(keys):]
	if len(keys) < 2 || len(args) < 3 || reply != "1" {
		return
	}
	if queue, is := strings.CutPrefix(string(keys[1]), scheduledPrefix); is {
		q.delayed("", queue, string(args[0]), string(args[2]), reply)
	} else if place := string(keys[1]); strings.HasPrefix(place, queuePrefix) && string(args[1]) != "N" {
		q.Arrived("", string(args[0]), place, nil)
	}
}

// recovers follows a worker that looks for dead ones by itself, which happens where a case
// takes longer than they are waited for.
func (q *Queue) recovers(worker string, commands []respwire.Command) {
	looks := slices.ContainsFunc(commands, func(c respwire.Command) bool {
		return c.Name == "ZREMRANGEBYSCORE" && len(c.Args) > 0 && strings.HasPrefix(string(c.Args[0]), startedPrefix)
	})
	if !looks {
		return
	}
	for _, c := range q.OfDead() {
		q.Reclaimed(worker, c.Message, c.Kept)
	}
}

// removed are the jobs that are taken off a registry.
func removed(commands []respwire.Command, registry string) (ids []string) {
	for _, c := range commands {
		if c.Name == "ZREM" && len(c.Args) > 1 && strings.HasPrefix(string(c.Args[0]), registry) {
			id, _, _ := strings.Cut(string(c.Args[1]), ":")
			ids = append(ids, id)
		}
	}
	return ids
}
