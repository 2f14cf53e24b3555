package sqs

import (
	"context"
	"regexp"
	"strings"
	"time"
)

const maxBatchBytes = 1048576

var entryID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// batch runs f for every entry in one step. A whole batch is refused for its
// form only; an entry that fails does not keep the others from their effect.
func (e *Endpoint) batch(r request, f func(now time.Time, q *queue, en entry) (any, *fault)) (any, *fault) {
	if err := checkEntries(r.Entries); err != nil {
		return nil, err
	}
	a := batchAnswer{Successful: []any{}, Failed: []failedEntry{}}
	err := e.with(r, func(now time.Time, q *queue) *fault {
		for _, en := range r.Entries {
			ok, err := f(now, q, en)
			if err == nil {
				a.Successful = append(a.Successful, ok)
				continue
			}
			a.Failed = append(a.Failed, failedEntry{Id: en.Id, Code: err.entryCode(), Message: err.message, SenderFault: true})
		}
		return nil
	})
	return a, err
}

func checkEntries(entries []entry) *fault {
	if len(entries) == 0 {
		return batchFault("EmptyBatchRequest", "There should be at least one entry in the request.")
	}
	if len(entries) > 10 {
		return batchFault("TooManyEntriesInBatchRequest", "Maximum number of entries per request are 10. You have sent %d.", len(entries))
	}
	seen := map[string]bool{}
	bytes := 0
	for _, en := range entries {
		if !entryID.MatchString(en.Id) {
			return batchFault("InvalidBatchEntryId",
				"A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.")
		}
		if seen[en.Id] {
			return batchFault("BatchEntryIdsNotDistinct", "Id %s repeated.", en.Id)
		}
		seen[en.Id] = true
		bytes += en.message().size()
	}
	if bytes > maxBatchBytes {
		return batchFault("BatchRequestTooLong", "Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxBatchBytes, bytes)
	}
	return nil
}

// entryCode: in a batch a bad receipt has one code, whatever is wrong with it.
func (f *fault) entryCode() string {
	if strings.Contains(f.message, "for parameter ReceiptHandle") {
		return "ReceiptHandleIsInvalid"
	}
	return f.code
}

func (e *Endpoint) sendMessageBatch(_ context.Context, r request) (any, *fault) {
	return e.batch(r, func(now time.Time, q *queue, en entry) (any, *fault) {
		a, err := q.accept(now, en, r.client)
		return sentEntry{Id: en.Id, sendAnswer: a}, err
	})
}

func (e *Endpoint) deleteMessageBatch(_ context.Context, r request) (any, *fault) {
	return e.batch(r, func(now time.Time, q *queue, en entry) (any, *fault) {
		return deletedEntry{Id: en.Id}, q.delete(now, en.ReceiptHandle, r.client)
	})
}

func (e *Endpoint) changeMessageVisibilityBatch(_ context.Context, r request) (any, *fault) {
	return e.batch(r, func(now time.Time, q *queue, en entry) (any, *fault) {
		return changedEntry{Id: en.Id}, q.change(now, en, r.client)
	})
}
