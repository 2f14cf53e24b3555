package sqsconsumer

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof"
)

// maxBatch is the most that Amazon SQS gives in one receive.
const maxBatch = 10

// handleBatch returns an error when the database did not answer for one of them.
func (c Consumer) handleBatch(ctx context.Context, all []received) (failed error) {
	var mu sync.Mutex
	var ending sync.WaitGroup // the next act does not wait for the queue
	h := c.keepInvisible(ctx, all...)
	defer h.stop()      // also when an act panics, which ends the process
	defer ending.Wait() // then the others are still ended
	c.Guard.RunBatch(ctx, c.deliveriesOf(all, h), func(ctx context.Context, op *twiceproof.Operation) error {
		if late := h.enter(ctx, op); late != nil {
			return late
		}
		return c.Act(ctx, op)
	}, func(ended ...twiceproof.Ended) {
		ending.Go(func() {
			err := c.endBatch(ctx, all, h, ended)
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				failed = err
			}
		})
	})
	ending.Wait()
	return failed
}

// deliveriesOf keeps the place of a message that cannot be read: without fields it
// has no key, and in its group nothing overtakes it.
func (c Consumer) deliveriesOf(all []received, h *heartbeat) []twiceproof.Delivery {
	deliveries := make([]twiceproof.Delivery, len(all))
	for i, r := range all {
		d, err := deliveryOf(r.Message)
		if err != nil {
			c.Log.Error("message unreadable", "message", aws.ToString(r.MessageId), "err", err)
		}
		if c.fifo() {
			d.Group = r.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)]
		}
		deliveries[i] = d
		if key, err := c.Guard.Job().Operation.KeyOf(d.Fields); err == nil {
			h.name(i, key)
		}
	}
	return deliveries
}

// fifo: only there a group has an order. On a standard queue it is for fairness.
func (c Consumer) fifo() bool { return strings.HasSuffix(c.QueueURL, ".fifo") }

// endBatch gives each message its end at the queue, in the order given.
func (c Consumer) endBatch(ctx context.Context, all []received, h *heartbeat, ended []twiceproof.Ended) (failed error) {
	var done []received
	for _, e := range ended {
		h.drop(e.Index)
		r := all[e.Index]
		if e.Failure == nil && e.Acknowledge() {
			done = append(done, r)
			continue
		}
		if err := c.endDelivery(ctx, r, e.Result, e.Failure); err != nil && failed == nil {
			failed = err
		}
	}
	c.deleteAll(ctx, done)
	return failed
}

// deleteAll deletes in one call. What the queue failed at is tried once more alone;
// what it refused, or the whole call, is left to the redelivery.
func (c Consumer) deleteAll(ctx context.Context, all []received) {
	if len(all) == 0 {
		return
	}
	if len(all) == 1 {
		c.delete(ctx, all[0])
		return
	}
	entries := make([]types.DeleteMessageBatchRequestEntry, len(all))
	for i, r := range all {
		entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(i)), ReceiptHandle: r.ReceiptHandle}
	}
	calling, cancel := patiently(ctx)
	defer cancel()
	out, err := c.Client.DeleteMessageBatch(calling, &sqs.DeleteMessageBatchInput{QueueUrl: &c.QueueURL, Entries: entries})
	if err != nil {
		c.Log.Warn("delete failed, the redeliveries will be deleted", "messages", len(all), "err", err)
		return
	}
	for _, f := range out.Failed {
		if i, ok := indexOf(f, len(all)); ok && f.SenderFault {
			c.Log.Warn("delete refused, the redelivery will be deleted", "message", aws.ToString(all[i].MessageId), "code", aws.ToString(f.Code))
		} else if ok {
			c.delete(ctx, all[i])
		}
	}
	c.Log.Info("deleted", "messages", len(out.Successful))
}

func indexOf(f types.BatchResultErrorEntry, n int) (i int, ok bool) {
	_, err := fmt.Sscan(aws.ToString(f.Id), &i)
	return i, err == nil && i >= 0 && i < n
}

// narrow makes a FIFO consumer receive one message at a time for a while.
type narrow struct {
	mu    sync.Mutex
	until time.Time
}

func (n *narrow) atLeast(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if until := time.Now().Add(d); until.After(n.until) {
		n.until = until
	}
}

func (n *narrow) over() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !time.Now().Before(n.until)
}

// atOnce is how many messages to ask for. On a FIFO queue those behind a message
// that comes again would come with it each time, and become dead letters with it.
func (c Consumer) atOnce() int32 {
	if c.fifo() && !c.narrow.over() {
		return 1
	}
	return int32(c.Batch)
}
