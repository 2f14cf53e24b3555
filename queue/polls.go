package queue

import (
	"slices"
	"strings"
)

// polls are the words by which a worker asks for messages: of SQS, and of Redis.
var polls = map[string]bool{"ReceiveMessage": true, "BRPOP": true, "RPOPLPUSH": true, "BLMOVE": true, "BLPOP": true}

// IsPoll tells whether a step, as a history has it, asks the queue for messages.
func IsPoll(step string) bool {
	peer, text, _ := strings.Cut(step, " ")
	word, _, _ := strings.Cut(text, " ")
	return peer == Peer && polls[word]
}

// Beat is what a step is called by which a worker tells that it lives, or that it is busy or
// idle, where its queue calls its steps by a name.
const Beat = "tell that the worker lives"

// beats are how Sidekiq says, every some seconds, that its process lives, and RQ that its worker
// does. While a job is at work they tell of that, too, so they are not what an idle worker says.
var beats = []string{
	"MULTI; INCRBY stat:processed; ", "INCRBY stat:", "EXPIRE stat:", "MULTI; UNLINK ?:work; ", "MULTI; SADD processes; ",
	"SET reliable-fetcher-heartbeat-", Beat,
}

// IsBeat tells whether a step, as a history has it, is one by the clock, whatever the job does.
func IsBeat(step string) bool {
	peer, text, _ := strings.Cut(step, " ")
	return peer == Peer && slices.ContainsFunc(beats, func(beat string) bool { return strings.HasPrefix(text, beat) })
}
