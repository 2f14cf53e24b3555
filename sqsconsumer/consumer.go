package sqsconsumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof"
)

// Consumer receives messages and hands each to the guard. Client, QueueURL, Guard
// and one of Act and ActTx are needed; the rest may be zero.
type Consumer struct {
	Client   *sqs.Client
	QueueURL string
	Guard    *twiceproof.Guard
	// Act is the body of a job whose effect is outside.
	Act twiceproof.Act
	// ActTx is the body of a job whose effect is rows in the application's database.
	ActTx twiceproof.ActTx
	// Workers is how many messages, or batches, are in work at once; 0 means 1.
	Workers int
	// Batch is how many messages one receive may bring, up to 10, to be claimed and
	// completed together; 0 means 1. See the package's documentation for its price.
	Batch int
	// Visibility is how long a received message stays invisible unless it is
	// renewed, as it is while the act runs; whole seconds, 0 means 30 s. It is never
	// longer than the job's lease.
	Visibility time.Duration
	// Grace is how long a running act may go on after Run's context ended; 0 means
	// 20 s. After it the act's context is cancelled, and its claim is given up as
	// unknown.
	Grace time.Duration
	// Log receives what the consumer did; nil means slog.Default().
	Log *slog.Logger

	pause  func(context.Context, time.Duration) // waits; replaced by tests
	narrow *narrow
}

// Run is the plain consumer: one message at a time, all else by default.
func Run(ctx context.Context, client *sqs.Client, queueURL string, guard *twiceproof.Guard, act twiceproof.Act) error {
	return Consumer{Client: client, QueueURL: queueURL, Guard: guard, Act: act}.Run(ctx)
}

// Run receives until ctx ends, waits for the acts that are running, and returns
// nil. It returns an error only for a consumer that cannot start.
func (c Consumer) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("start consumer: %w", err)
	}
	c = c.withDefaults()
	if err := c.checkQueue(ctx); err != nil {
		return fmt.Errorf("start consumer: %w", err)
	}
	work, stop := c.grace(ctx)
	defer stop()
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() { c.receiveUntil(ctx, work) })
	}
	workers.Wait()
	return nil
}

// ErrShutdown is the cause of an act's context that ended because the grace after
// the consumer's own end was over.
var ErrShutdown = errors.New("the consumer is shutting down")

// grace makes the context of the acts: it ends later than ctx.
func (c Consumer) grace(ctx context.Context) (work context.Context, stop func()) {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(c.Grace):
			cancel(ErrShutdown)
		case <-work.Done():
		}
	})
	return work, func() { unhook(); cancel(nil) }
}

// receiveUntil is one worker. While the queue or the database fails it rests,
// longer each time: a receive that cannot be worked on only uses up the message's
// receive count.
func (c Consumer) receiveUntil(ctx, work context.Context) {
	pause := time.Duration(0)
	for ctx.Err() == nil {
		err := c.next(ctx, work)
		if err == nil || ctx.Err() != nil {
			pause = 0
			continue
		}
		pause = min(pause+time.Second, 20*time.Second)
		c.Log.Error("nothing done", "err", err, "again_in", pause)
		c.pause(ctx, pause)
	}
}

// next receives one message, or a batch, and brings these deliveries to their end.
func (c Consumer) next(ctx, work context.Context) error {
	asked := time.Now()
	messages, err := c.receive(ctx, c.atOnce())
	if err != nil {
		return fmt.Errorf("receive: %w", err)
	}
	all := make([]received, len(messages))
	for i, m := range messages {
		all[i] = received{Message: m, asked: asked, got: time.Now()}
	}
	switch {
	case ctx.Err() != nil: // they came in the moment of the stop
		for _, r := range slices.Backward(all) {
			c.putBack(work, r, 0)
		}
		return nil
	case len(all) == 0:
		return nil
	case len(all) == 1:
		return c.handle(work, all[0])
	}
	return c.handleBatch(work, all)
}

func (c Consumer) receive(ctx context.Context, atOnce int32) ([]types.Message, error) {
	out, err := c.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &c.QueueURL, MaxNumberOfMessages: atOnce, WaitTimeSeconds: 20,
		VisibilityTimeout:           int32(c.Visibility / time.Second),
		MessageAttributeNames:       []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	return out.Messages, nil
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
