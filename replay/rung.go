package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/replay/judge"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/mysqlwire"
	"github.com/twiceproof/twiceproof/wire/pgwire"
)

// place is where a run is struck: one side of a recorded step.
type place struct {
	n    int // of the step in the recorded run, from 1
	step wire.Step
	side wire.Side
	then *place // of the redelivery, where the next worker is killed, too; nil: nowhere
}

// and is a pair of places.
func (p place) and(second place) place {
	p.then = &second
	return p
}

// name is for --only.
func (p place) name() string {
	name := fmt.Sprintf("%d-%s", p.n, p.side)
	if p.step.Protocol == protocolFile {
		name = "write-" + name
	}
	if p.then != nil {
		name += "+" + p.then.name()
	}
	return name
}

func (p place) String() string {
	kind := "step"
	if p.step.Protocol == protocolFile {
		kind = "write"
	}
	text := fmt.Sprintf("%s %s %d (%s)", p.side, kind, p.n, stepText(p.step))
	if p.then != nil {
		text += fmt.Sprintf(", then %s of the redelivery", p.then)
	}
	return text
}

func stepText(s wire.Step) string {
	const most = 60
	text := s.Peer + " " + s.Text
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	if s.Nth > 1 {
		text += fmt.Sprintf(" #%d", s.Nth)
	}
	return text
}

// places are those of a rung, in the order of the run; of pairs the first ones.
func places(rung judge.Rung, steps []recordedStep) []place {
	if rung == judge.Durable || rung == judge.Pair {
		return durablePlaces(steps)
	}
	var all []place
	for i, s := range steps {
		if s.Protocol != protocolFile {
			all = append(all, placeAt(steps, i, wire.Before), placeAt(steps, i, wire.After))
			continue
		}
		if rung == judge.Step || rung != judge.Cut && s.durable { // before it is after the one before
			all = append(all, placeAt(steps, i, wire.After))
		}
	}
	return all
}

// durablePlaces has one for each state that can be seen from outside: before the first
// step on a wire that changes anything, after each of them, and before a COMMIT, which is
// the same state but for the open transaction. Steps that only read lie between two of them.
// Before a write to a file is after the one before it.
func durablePlaces(steps []recordedStep) (all []place) {
	onWire := false
	for i, s := range steps {
		if !s.durable {
			continue
		}
		if s.Protocol != protocolFile {
			if !onWire || isCommit(s.Step) {
				all = append(all, placeAt(steps, i, wire.Before))
			}
			onWire = true
		}
		all = append(all, placeAt(steps, i, wire.After))
	}
	return all
}

// makesDurable tells whether a step has changed something outside the worker.
func makesDurable(s wire.Step, status string) bool {
	verb, _, _ := strings.Cut(s.Text, " ")
	switch s.Peer {
	case judge.PeerOutside:
		return !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, verb)
	case judge.PeerDatabase:
		writes := !onlyReads(s.Text) || strings.HasPrefix(status, "COMMIT ") // MySQL's BEGIN may commit
		return writes && (s.Protocol == "postgres" && pgwire.Durable(status) || s.Protocol == "mysql" && mysqlwire.Durable(status))
	case queue.Peer:
		return slices.ContainsFunc(strings.Split(s.Text, "; "), func(one string) bool {
			verb, _, _ := strings.Cut(one, " ")
			return !readsQueue[verb]
		})
	}
	return false
}

// readsQueue are what changes nothing for good in a queue. A transaction does what is in it.
var readsQueue = map[string]bool{
	"GetQueueAttributes": true, "GetQueueUrl": true,
	"GET": true, "EXISTS": true, "SCARD": true, "SMEMBERS": true, "LLEN": true, "PING": true, "INFO": true, "CLIENT": true, "HGET": true, "HGETALL": true, "WATCH": true, "UNWATCH": true, "MULTI": true, "EXEC": true,
}

// onlyReads: every statement of the step does.
func onlyReads(text string) bool {
	return !slices.ContainsFunc(strings.Split(text, "; "), func(one string) bool {
		verb, rest, _ := strings.Cut(strings.ToUpper(one), " ")
		if strings.HasPrefix(rest, "STATEMENT ") { // MariaDB's SET STATEMENT … FOR INSERT …
			return true
		}
		return !slices.Contains([]string{"SELECT", "SHOW", "SET", "BEGIN", "ROLLBACK", "START", "SAVEPOINT", "RELEASE"}, verb)
	})
}

// rungEnds are the permitted ends where a rung has others than a kill.
func rungEnds(rung judge.Rung) func(job.Job, job.Moment) []job.End {
	switch rung {
	case judge.Cut:
		return cutEnds
	case judge.Pause:
		return func(j job.Job, at job.Moment) []job.End { return job.Union(j.Ends(at), onceMore(j, at)) }
	case judge.Pair:
		return afterTwoKills
	}
	return nil
}

// cutEnds: nobody looks while the worker lives and goes on, so what the policy states for
// any moment is permitted. What is asked of it is that it ends so at all.
func cutEnds(j job.Job, at job.Moment) []job.End {
	return job.Union(once(j, at), job.Union(j.Ends(job.Moment{Claimed: true}), j.Ends(job.Moment{Claimed: true, Effect: true})))
}
