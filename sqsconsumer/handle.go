package sqsconsumer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof"
)

// received is one message as one receive gave it. The long poll may have waited
// between the two times, and the service's own clock for the message started
// somewhere between them.
type received struct {
	types.Message
	asked time.Time
	got   time.Time
}

// handle returns an error when the database did not answer.
func (c Consumer) handle(ctx context.Context, r received) error {
	delivery, err := deliveryOf(r.Message)
	if err != nil {
		c.Log.Error("message left on the queue", "message", aws.ToString(r.MessageId), "err", err)
		c.narrow.atLeast(2 * c.Visibility)
		return nil
	}
	// The heartbeat has ended before the delivery is ended: one that came after
	// the put back would undo it.
	result, err := c.runGuarded(ctx, delivery, c.keepInvisible(ctx, r))
	return c.endDelivery(ctx, r, result, err)
}

// runGuarded stops the heartbeat also when the act panics, which ends the
// process: a recovered panic would hide that nobody can tell what the act did.
func (c Consumer) runGuarded(ctx context.Context, d twiceproof.Delivery, h *heartbeat) (twiceproof.Result, error) {
	defer h.stop()
	if c.ActTx != nil {
		return c.Guard.RunTx(ctx, d, func(ctx context.Context, tx *sql.Tx, op *twiceproof.Operation) error {
			if late := h.enter(ctx, op); late != nil {
				return late
			}
			return c.ActTx(ctx, tx, op)
		})
	}
	return c.Guard.Run(ctx, d, func(ctx context.Context, op *twiceproof.Operation) error {
		if late := h.enter(ctx, op); late != nil {
			return late
		}
		return c.Act(ctx, op)
	})
}

// endDelivery gives the message its end at the queue. Doing nothing is the queue's own
// error path: the message comes back by its visibility timeout, or goes to the
// dead letters. A lost claim is left alone too: another worker has the message by
// a newer receipt.
func (c Consumer) endDelivery(ctx context.Context, r received, result twiceproof.Result, err error) error {
	log := c.Log.With("message", aws.ToString(r.MessageId), "key", result.Key)
	if err == nil && result.Acknowledge() {
		c.delete(ctx, r)
		return nil
	}
	c.narrow.atLeast(result.RetryAfter + 2*c.Visibility)
	stopped := ctx.Err() != nil
	switch {
	case errors.Is(err, twiceproof.ErrKey), errors.Is(err, twiceproof.ErrBody): // the message's or the body's fault
		log.Error("message left on the queue", "err", err)
	case stopped && errors.Is(err, context.Canceled): // before the claim
		c.putBack(ctx, r, 0)
	case err != nil:
		return fmt.Errorf("message %s left on the queue: %w", aws.ToString(r.MessageId), err)
	case result.Outcome == twiceproof.Live && c.ActTx != nil:
		c.putBack(ctx, r, max(result.RetryAfter, backOff(r, c.Guard.Job().Lease)))
	case result.Outcome == twiceproof.Live, result.Outcome == twiceproof.GivenUp:
		c.putBack(ctx, r, result.RetryAfter)
	case result.Outcome == twiceproof.Released && (stopped || errors.Is(result.Err, twiceproof.ErrNotReached)):
		c.putBack(ctx, r, 0)
	default:
		log.Warn("message left on the queue", "outcome", result.Outcome, "cause", result.Err)
	}
	return nil
}

// backOff is for a live own row, whose remaining time nobody can see: from a second
// on, doubled by each receive, up to the lease, which bounds its transaction.
func backOff(r received, lease time.Duration) time.Duration {
	receives, err := strconv.Atoi(r.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
	if err != nil {
		receives = 1
	}
	return min(time.Second<<min(max(receives-1, 0), 16), lease)
}

// patience bounds one call about a message, the client's own retries included, so
// that neither a stop nor the next message waits for ever.
const patience = 10 * time.Second

// patiently is for a call that must be made also while the consumer stops.
func patiently(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), patience)
}

// delete that fails is no loss: the redelivery finds the record completed and is
// deleted with its own receipt.
func (c Consumer) delete(ctx context.Context, r received) {
	ctx, cancel := patiently(ctx)
	defer cancel()
	_, err := c.Client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &c.QueueURL, ReceiptHandle: r.ReceiptHandle})
	if err != nil {
		c.Log.Warn("delete failed, the redelivery will be deleted", "message", aws.ToString(r.MessageId), "err", err)
		return
	}
	c.Log.Info("deleted", "message", aws.ToString(r.MessageId))
}

// Amazon SQS lets a message stay invisible for 12 hours from its receive; a call
// that asks for more is refused.
const maxVisibility = 12 * time.Hour

// putBack makes the message visible when there will be something to do for it.
// The jitter keeps copies that met the same claim from coming back together.
func (c Consumer) putBack(ctx context.Context, r received, after time.Duration) {
	jitter := time.Duration(0)
	if after > 0 {
		jitter = rand.N(time.Second + after/10)
	}
	wait := min(after+jitter, maxVisibility-time.Since(r.asked)-time.Second)
	if err := c.changeVisibility(ctx, r, max(0, wait)); err != nil {
		c.Log.Warn("put back failed, the message returns by its visibility timeout",
			"message", aws.ToString(r.MessageId), "err", err)
	}
}

// changeVisibility rounds up: a put back that returns a second late has something
// to do, one that returns a second early has not.
func (c Consumer) changeVisibility(ctx context.Context, r received, d time.Duration) error {
	ctx, cancel := patiently(ctx)
	defer cancel()
	_, err := c.Client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &c.QueueURL, ReceiptHandle: r.ReceiptHandle,
		VisibilityTimeout: int32((d + time.Second - 1) / time.Second),
	})
	return err
}
