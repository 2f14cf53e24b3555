package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

// renewal is what to ask for one message.
type renewal struct {
	*kept
	index int
	left  time.Duration
}

// renew asks for all whose time would be longer by it. A failure is only logged: the
// message may have been received again, and the claim keeps that harmless.
func (h *heartbeat) renew(ctx context.Context) {
	h.calling.Lock()
	defer h.calling.Unlock()
	due := h.due()
	errs := h.changeAll(ctx, due)
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, err := range errs {
		if r := due[i]; err == nil {
			r.invisible = time.Now().Add(r.left)
		} else {
			h.Log.Warn("visibility not renewed", "message", aws.ToString(r.MessageId), "err", err)
			if goneFrom(err) {
				h.kept[r.index] = nil
			}
		}
	}
}

func (h *heartbeat) due() (due []renewal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, k := range h.kept {
		if k == nil {
			continue
		}
		// Whole seconds, rounded down, so that the message is never invisible for
		// longer than the claim is live.
		left := min(h.Visibility, time.Until(k.end())).Truncate(time.Second)
		if left > 0 && time.Now().Add(left).After(k.invisible) {
			due = append(due, renewal{k, i, left})
		}
	}
	return due
}

// changeAll answers an error, or none, for each.
func (h *heartbeat) changeAll(ctx context.Context, due []renewal) []error {
	errs := make([]error, len(due))
	if len(due) == 1 {
		errs[0] = h.changeVisibility(ctx, due[0].received, due[0].left)
	}
	if len(due) < 2 {
		return errs
	}
	ctx, cancel := patiently(ctx)
	defer cancel()
	out, err := h.Client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &h.QueueURL, Entries: entriesOf(due)})
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	for _, f := range out.Failed {
		if i, ok := indexOf(f, len(due)); ok {
			errs[i] = &smithy.GenericAPIError{Code: aws.ToString(f.Code), Message: aws.ToString(f.Message)}
		}
	}
	return errs
}

func entriesOf(due []renewal) []types.ChangeMessageVisibilityBatchRequestEntry {
	entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(due))
	for i, r := range due {
		entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(fmt.Sprint(i)), ReceiptHandle: r.ReceiptHandle, VisibilityTimeout: int32(r.left / time.Second),
		}
	}
	return entries
}

// goneFrom tells whether the queue refused for good: the message was deleted or
// received again, or is visible by now.
func goneFrom(err error) bool {
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.ErrorCode() {
	case "InvalidParameterValue", "InvalidParameterValueException", "MessageNotInflight",
		"AWS.SimpleQueueService.MessageNotInflight", "ReceiptHandleIsInvalid":
		return true
	}
	return false
}
