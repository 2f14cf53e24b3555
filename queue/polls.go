package queue

import "strings"

// polls are the words by which a worker asks for messages: of SQS, and of Redis.
var polls = map[string]bool{"ReceiveMessage": true, "BRPOP": true, "RPOPLPUSH": true}

// IsPoll tells whether a step, as a history has it, asks the queue for messages.
func IsPoll(step string) bool {
	peer, text, _ := strings.Cut(step, " ")
	word, _, _ := strings.Cut(text, " ")
	return peer == Peer && polls[word]
}
