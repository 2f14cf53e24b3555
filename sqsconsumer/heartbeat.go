package sqsconsumer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
)

// heartbeat keeps one message invisible while its act runs. leaseEnd is no later
// than the claim's own: a worker that hangs must not keep its message for ever,
// and after it another worker may hold the claim, by a newer receipt that the
// service has been seen to let an older one disturb.
type heartbeat struct {
	Consumer
	received
	leaseEnd  time.Time
	invisible time.Time // until then, by what was asked for so far
}

// keepInvisible starts the heartbeat. The returned stop waits for a renewal that
// is on its way: one that was only cut off could still arrive after the put back.
func (c Consumer) keepInvisible(ctx context.Context, r received) (stop func()) {
	h := &heartbeat{c, r, r.got.Add(c.Guard.Job().Lease), r.got.Add(c.Visibility)}
	done := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() { h.beat(ctx, done) })
	return func() { close(done); renewing.Wait() }
}

func (h *heartbeat) beat(ctx context.Context, done <-chan struct{}) {
	tick := time.NewTicker(h.Visibility / 3)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if !h.renew(ctx) {
			return
		}
	}
}

// renew tells whether there is anything left to renew. A failure is only logged:
// the message may have been received again, and the claim keeps that harmless.
func (h *heartbeat) renew(ctx context.Context) bool {
	// Whole seconds, rounded down, so that the message is never invisible for
	// longer than the claim is live.
	left := min(h.Visibility, time.Until(h.leaseEnd)).Truncate(time.Second)
	if left <= 0 {
		return false
	}
	if !time.Now().Add(left).After(h.invisible) { // it would be shorter than what it has
		return true
	}
	err := h.changeVisibility(ctx, h.received, left)
	if err != nil {
		h.Log.Warn("visibility not renewed", "message", aws.ToString(h.MessageId), "err", err)
		return !goneFrom(err)
	}
	h.invisible = time.Now().Add(left)
	return true
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
