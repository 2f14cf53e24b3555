package sqs

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"
)

type action func(*Endpoint, context.Context, request) (any, *fault)

// actions are the actions that are spoken, by name.
var actions = map[string]action{
	"CreateQueue":                  (*Endpoint).createQueue,
	"GetQueueUrl":                  (*Endpoint).getQueueURL,
	"ListQueues":                   (*Endpoint).listQueues,
	"GetQueueAttributes":           (*Endpoint).getQueueAttributes,
	"SetQueueAttributes":           (*Endpoint).setQueueAttributes,
	"PurgeQueue":                   (*Endpoint).purgeQueue,
	"SendMessage":                  (*Endpoint).sendMessage,
	"SendMessageBatch":             (*Endpoint).sendMessageBatch,
	"ReceiveMessage":               (*Endpoint).receiveMessage,
	"DeleteMessage":                (*Endpoint).deleteMessage,
	"DeleteMessageBatch":           (*Endpoint).deleteMessageBatch,
	"ChangeMessageVisibility":      (*Endpoint).changeMessageVisibility,
	"ChangeMessageVisibilityBatch": (*Endpoint).changeMessageVisibilityBatch,
}

// with runs f on the request's queue as one step.
func (e *Endpoint) with(r request, f func(now time.Time, q *queue) *fault) (err *fault) {
	if r.QueueUrl == "" {
		return missingParameter("QueueUrl")
	}
	e.do(func(now time.Time) {
		var q *queue
		if q, err = e.account.find(r.QueueUrl); err == nil {
			err = f(now, q)
		}
	})
	return err
}

func (e *Endpoint) createQueue(_ context.Context, r request) (any, *fault) {
	if r.QueueName == "" {
		return nil, missingParameter("QueueName")
	}
	var err *fault
	e.do(func(now time.Time) { err = e.account.create(now, r.QueueName, r.Attributes) })
	return urlAnswer{e.queueURL(r.client, r.QueueName)}, err
}

func (e *Endpoint) getQueueURL(_ context.Context, r request) (any, *fault) {
	if r.QueueName == "" {
		return nil, missingParameter("QueueName")
	}
	r.QueueUrl = r.QueueName
	err := e.with(r, func(time.Time, *queue) *fault { return nil })
	return urlAnswer{e.queueURL(r.client, r.QueueName)}, err
}

// listQueues pages by name: the token is the last name that was answered.
func (e *Endpoint) listQueues(_ context.Context, r request) (any, *fault) {
	limit := 1000
	if r.MaxResults != nil {
		limit = *r.MaxResults
	}
	if limit < 1 || limit > 1000 {
		return nil, invalidValue("MaxResults", strconv.Itoa(limit), "Must be between 1 and 1000.")
	}
	var names []string
	e.do(func(time.Time) { names = e.account.names(r.QueueNamePrefix) })
	names = slices.DeleteFunc(names, func(name string) bool { return name <= r.NextToken })
	var a listAnswer
	if len(names) > limit {
		names = names[:limit]
		a.NextToken = names[limit-1]
	}
	for _, name := range names {
		a.QueueUrls = append(a.QueueUrls, e.queueURL(r.client, name))
	}
	return a, nil
}

func (e *Endpoint) getQueueAttributes(_ context.Context, r request) (any, *fault) {
	a := attributesAnswer{pairs{}}
	err := e.with(r, func(now time.Time, q *queue) *fault {
		all := q.describe(now)
		for _, name := range r.AttributeNames {
			value, set := all[name]
			switch {
			case name == "All":
				maps.Copy(a.Attributes, all)
			case set:
				a.Attributes[name] = value
			case !known(name):
				return unknownAttribute(name)
			}
		}
		return nil
	})
	return a, err
}

func known(name string) bool {
	_, isNumber := numbers[name]
	_, isWord := words[name]
	return isNumber || isWord || kept[name] || name == "RedrivePolicy"
}

func (e *Endpoint) setQueueAttributes(_ context.Context, r request) (any, *fault) {
	return nothing{}, e.with(r, func(now time.Time, q *queue) *fault {
		return e.account.configure(now, q, r.Attributes)
	})
}

func (e *Endpoint) purgeQueue(_ context.Context, r request) (any, *fault) {
	return nothing{}, e.with(r, func(now time.Time, q *queue) *fault { return q.purge(now, r.client) })
}
