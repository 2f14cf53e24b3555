package sqs

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// The actions that the replay asks about.
const (
	receive     = "ReceiveMessage"
	remove      = "DeleteMessage"
	removeBatch = "DeleteMessageBatch"
)

// StepName is the action of a request, in either protocol: the JSON one names it
// in a header, the Query one in a form field, or in the address.
func StepName(r *http.Request, body []byte) string {
	if _, action, ok := strings.Cut(r.Header.Get("X-Amz-Target"), "."); ok {
		return action
	}
	if form, err := url.ParseQuery(string(body)); err == nil && form.Get("Action") != "" {
		return form.Get("Action")
	}
	if action := r.URL.Query().Get("Action"); action != "" {
		return action
	}
	return "unknown action"
}

func isReceive(s wire.Step) bool { return s.Peer == queue.Peer && s.Text == receive }

func isRemove(s wire.Step) bool {
	return s.Peer == queue.Peer && (s.Text == remove || s.Text == removeBatch)
}
