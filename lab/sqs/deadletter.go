package sqs

import (
	"encoding/json"
	"strings"
	"time"
)

// redrive is where a message goes that was received too often. No target: none.
type redrive struct {
	target string
	max    int
}

func readRedrive(policy string) (redrive, *fault) {
	if policy == "" {
		return redrive{}, nil
	}
	var p struct {
		DeadLetterTargetArn string      `json:"deadLetterTargetArn"`
		MaxReceiveCount     json.Number `json:"maxReceiveCount"` // a number or a string: both are sent
	}
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		return redrive{}, invalidValue("RedrivePolicy", policy, "Redrive policy is not a valid JSON map.")
	}
	name, ok := strings.CutPrefix(p.DeadLetterTargetArn, arnPrefix)
	if !ok || name == "" {
		return redrive{}, invalidValue("RedrivePolicy", policy, "Invalid value for deadLetterTargetArn.")
	}
	n, err := p.MaxReceiveCount.Int64()
	if err != nil || n < 1 || n > 1000 {
		return redrive{}, invalidValue("RedrivePolicy", policy,
			"Invalid value for maxReceiveCount: "+p.MaxReceiveCount.String()+", valid values are from 1 to 1000 both inclusive.")
	}
	return redrive{name, int(n)}, nil
}

func (a *account) deadLetterQueue(q *queue) *queue {
	if q.set.redrive.target == "" {
		return nil
	}
	return a.queues[q.set.redrive.target]
}

// checkRedrive refuses a target that is missing or of the other type.
func (a *account) checkRedrive(s settings) *fault {
	if s.redrive.target == "" {
		return nil
	}
	dead, ok := a.queues[s.redrive.target]
	if !ok {
		return invalidValue("RedrivePolicy", s.text["RedrivePolicy"], "Dead letter target does not exist.")
	}
	if dead.set.fifo != s.fifo {
		return invalidValue("RedrivePolicy", s.text["RedrivePolicy"],
			"Dead-letter queue must be same type of queue as the source.")
	}
	return nil
}

// moveDead moves a copy to the dead-letter queue, with its identifier and its
// count. On a standard queue it keeps its age, so that its retention goes on.
func moveDead(now time.Time, from, to *queue, c *messageCopy) {
	from.remove(c)
	from.log(now, DeadLettered, c, Event{})
	to.sweep(now)
	m := to.messages[c.id]
	if m == nil {
		sent := c.sentAt
		if to.set.fifo {
			sent = now
		}
		m = to.keep(sent, sending{Message: c.Message, id: c.id, trace: c.trace})
		m.source = from.name
	}
	dead := to.add(m, now)
	dead.state, dead.receives, dead.firstReceived = visible, c.receives, c.firstReceived
	to.log(now, ArrivedDead, dead, Event{})
}
