package sqsconsumer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/twiceproof/twiceproof/job"
)

// check refuses what cannot work.
func (c Consumer) check() error {
	switch {
	case c.Client == nil, c.Guard == nil, c.QueueURL == "":
		return errors.New("Client, QueueURL and Guard are needed")
	case (c.Act == nil) == (c.ActTx == nil):
		return errors.New("one of Act and ActTx is needed")
	case (c.ActTx != nil) != (c.Guard.Job().Effect.Kind == job.OwnRow):
		return fmt.Errorf("an effect of the kind %s needs %s", c.Guard.Job().Effect.Kind, actFor(c.Guard.Job().Effect.Kind))
	case c.Batch < 0, c.Batch > maxBatch:
		return fmt.Errorf("a batch of %d is not between 1 and %d", c.Batch, maxBatch)
	case c.Batch > 1 && c.ActTx != nil:
		return errors.New("a batch is for Act: each own row has its own transaction")
	case c.Workers < 0, c.Grace < 0, c.Visibility < 0:
		return errors.New("Workers, Grace and Visibility must not be negative")
	case c.Visibility%time.Second != 0:
		return fmt.Errorf("visibility %s is not in whole seconds", c.Visibility)
	case c.Visibility > maxVisibility:
		return fmt.Errorf("visibility %s is longer than the 12 hours that Amazon SQS takes", c.Visibility)
	}
	return nil
}

func (c Consumer) withDefaults() Consumer {
	c.Workers, c.Batch, c.narrow = orDefault(c.Workers, 1), orDefault(c.Batch, 1), new(narrow)
	// A lease has at least a second. A message that stayed invisible for longer
	// would wait for nobody when its worker has died.
	c.Visibility = min(orDefault(c.Visibility, 30*time.Second), c.Guard.Job().Lease.Truncate(time.Second))
	c.Grace = orDefault(c.Grace, 20*time.Second)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Log = c.Log.With("queue", c.QueueURL)
	if j := c.Guard.Job(); time.Duration(c.Batch)*j.LongestRun > j.Lease {
		c.Log.Warn("the lease is so short that the end of a batch may be put back unacted",
			"lease", j.Lease, "at_least", time.Duration(c.Batch)*j.LongestRun)
	}
	if c.pause == nil {
		c.pause = wait
	}
	return c
}

func actFor(kind job.EffectKind) string {
	if kind == job.OwnRow {
		return "ActTx"
	}
	return "Act"
}

func orDefault[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// leastReceives is how often a message is received when one worker vanishes with
// it: by that worker, by one that finds the claim live and puts it back, and by
// one that follows the policy.
const leastReceives = 3

// checkQueue refuses a queue that does not exist. Any other failure is only a
// warning: the permission to ask may be missing, and the receive will tell.
func (c Consumer) checkQueue(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := c.Client.GetQueueAttributes(asking, &sqs.GetQueueAttributesInput{
		QueueUrl: &c.QueueURL, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameRedrivePolicy},
	})
	if missing := new(types.QueueDoesNotExist); errors.As(err, &missing) {
		return fmt.Errorf("queue %s: %w", c.QueueURL, err)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		c.Log.Warn("queue not checked", "err", err)
		return nil
	}
	policy := out.Attributes[string(types.QueueAttributeNameRedrivePolicy)]
	if n := maxReceives(policy); n > 0 && n < leastReceives {
		c.Log.Warn("maxReceiveCount is so low that waiting for a live claim makes a message a dead letter",
			"maxReceiveCount", n, "at_least", leastReceives)
	}
	return nil
}

// maxReceives is 0 when there are no dead letters.
func maxReceives(redrivePolicy string) int64 {
	var policy struct {
		MaxReceiveCount json.Number `json:"maxReceiveCount"` // a number or a string: both are met
	}
	if json.Unmarshal([]byte(redrivePolicy), &policy) != nil {
		return 0
	}
	n, err := policy.MaxReceiveCount.Int64()
	if err != nil {
		return 0
	}
	return n
}
