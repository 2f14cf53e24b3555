package sqs

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
)

func (e *Endpoint) sendMessage(_ context.Context, r request) (any, *fault) {
	var a sendAnswer
	err := e.with(r, func(now time.Time, q *queue) (err *fault) {
		a, err = q.accept(now, r.entry, r.client)
		return err
	})
	return a, err
}

func (q *queue) accept(now time.Time, en entry, client string) (sendAnswer, *fault) {
	m, err := q.send(now, sending{
		Message: en.message(), id: uuid.NewString(), delay: asSeconds(en.DelaySeconds),
		trace: en.MessageSystemAttributes["AWSTraceHeader"].StringValue, client: client,
	})
	if err != nil {
		return sendAnswer{}, err
	}
	a := sendAnswer{
		MessageId: m.id, MD5OfMessageBody: digestOfBody(en.MessageBody),
		MD5OfMessageAttributes: digestOfAttributes(en.message().Attributes),
	}
	if q.set.fifo {
		a.SequenceNumber = m.sequenceNumber()
	}
	return a, nil
}

// sequenceNumber has the service's 20 digits.
func (m *stored) sequenceNumber() string {
	const first = 1_000_000_000_000_000_000
	return strconv.FormatUint(10*first+m.sequence, 10)
}

func (e *Endpoint) receiveMessage(ctx context.Context, r request) (any, *fault) {
	if r.QueueUrl == "" {
		return nil, missingParameter("QueueUrl")
	}
	if err := r.checkReceive(); err != nil {
		return nil, err
	}
	rc := receiving{max: 1, visibility: asSeconds(r.VisibilityTimeout), client: r.client}
	if r.MaxNumberOfMessages != nil {
		rc.max = *r.MaxNumberOfMessages
	}
	got, err := e.receive(ctx, r.QueueUrl, rc, asSeconds(r.WaitTimeSeconds))
	return r.show(got), err
}

func (r request) checkReceive() *fault {
	for _, limit := range []struct {
		name      string
		value     *int
		low, high int
	}{
		{"MaxNumberOfMessages", r.MaxNumberOfMessages, 1, 10},
		{"WaitTimeSeconds", r.WaitTimeSeconds, 0, 20},
		{"VisibilityTimeout", r.VisibilityTimeout, 0, 43200},
	} {
		if v := limit.value; v != nil && (*v < limit.low || *v > limit.high) {
			return invalidValue(limit.name, strconv.Itoa(*v),
				"Must be between "+strconv.Itoa(limit.low)+" and "+strconv.Itoa(limit.high)+", if provided.")
		}
	}
	return nil
}

func (e *Endpoint) deleteMessage(_ context.Context, r request) (any, *fault) {
	if r.ReceiptHandle == "" {
		return nil, missingParameter("ReceiptHandle")
	}
	return nothing{}, e.with(r, func(now time.Time, q *queue) *fault {
		return q.delete(now, r.ReceiptHandle, r.client)
	})
}

func (e *Endpoint) changeMessageVisibility(_ context.Context, r request) (any, *fault) {
	return nothing{}, e.with(r, func(now time.Time, q *queue) *fault {
		return q.change(now, r.entry, r.client)
	})
}

func (q *queue) change(now time.Time, en entry, client string) *fault {
	if en.ReceiptHandle == "" {
		return missingParameter("ReceiptHandle")
	}
	if en.VisibilityTimeout == nil {
		return missingParameter("VisibilityTimeout")
	}
	return q.changeVisibility(now, en.ReceiptHandle, *asSeconds(en.VisibilityTimeout), client)
}
