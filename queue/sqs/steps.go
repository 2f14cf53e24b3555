package sqs

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// Peer is the name of the queue's peer in a step.
const Peer = "queue"

// The actions that the replay asks about.
const (
	receive     = "ReceiveMessage"
	remove      = "DeleteMessage"
	removeBatch = "DeleteMessageBatch"
)

// StepName is the action of a request, in either protocol: the JSON one names it
// in a header, the Query one in a form field.
func StepName(r *http.Request, body []byte) string {
	if _, action, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		return action
	}
	if form, err := url.ParseQuery(string(body)); err == nil && form.Get("Action") != "" {
		return form.Get("Action")
	}
	return "unknown action"
}

// IsReceive tells whether a step asks for messages.
func IsReceive(s wire.Step) bool { return s.Peer == Peer && s.Text == receive }

// IsAcknowledgement tells whether a step makes the queue forget messages.
func IsAcknowledgement(s wire.Step) bool {
	return s.Peer == Peer && (s.Text == remove || s.Text == removeBatch)
}
