package rq

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/queue/inredis"
)

// Advance puts on what is due, as the scheduler does, and does what a worker that looks for
// dead ones would do by now.
func (q *Queue) Advance(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), inredis.AnswerLimit)
	defer cancel()
	if err := q.Age(d, "rq:worker", "rq:scheduler"); err != nil {
		return err
	}
	if err := q.awaitNear(ctx); err != nil {
		return err
	}
	due, forced := q.Ledger.Advance(d)
	for _, c := range due {
		if err := q.schedule(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range forced {
		if err := q.enqueue(c.Message, c.Place); err != nil {
			return err
		}
	}
	for _, c := range q.OfDead() {
		if err := q.recover(ctx, c); err != nil {
			return fmt.Errorf("recover a job of a dead worker: %w", err)
		}
	}
	return nil
}

// near is how long a job's time is waited for by the machine's clock: what a job keeps of its
// own may go by that.
const near = 2500 * time.Millisecond

func (q *Queue) awaitNear(ctx context.Context) error {
	registries, err := q.Client.Keys(ctx, scheduledPrefix+"*").Result()
	last := 0.0
	for _, key := range registries {
		at, wrong := q.Client.ZRangeByScoreWithScores(ctx, key, &redis.ZRangeBy{Min: "-inf", Max: strconv.FormatInt(time.Now().Add(near).Unix(), 10)}).Result()
		for _, z := range at {
			last = max(last, z.Score)
		}
		err = cmp.Or(err, wrong)
	}
	if err != nil {
		return fmt.Errorf("look for jobs that are due in a moment: %w", err)
	}
	time.Sleep(time.Until(time.Unix(int64(last), 0)))
	return nil
}

// schedule takes a job that is due out of the registry, unless a scheduler was quicker.
func (q *Queue) schedule(ctx context.Context, c queue.Copy) error {
	n, err := q.Client.ZRem(ctx, scheduledPrefix+nameOf(c.Place), c.Message).Result()
	if err != nil {
		return fmt.Errorf("take a job that is due: %w", err)
	}
	if n == 0 {
		return nil
	}
	q.Lock()
	if !q.scheduler {
		q.Note(queue.Event{Kind: queue.Unscheduled, Message: c.Message, Copy: c.N})
	}
	q.Unlock()
	return q.enqueue(c.Message, c.Place)
}

func nameOf(place string) string { return strings.TrimPrefix(place, queuePrefix) }

// recover does with the job of a dead worker what StartedJobRegistry.cleanup and
// IntermediateQueue.cleanup do: one with a retry left is put on again, another one given up.
func (q *Queue) recover(ctx context.Context, c queue.Copy) error {
	took, err := q.takeOff(ctx, c)
	if err != nil {
		return err
	}
	hash, err := q.Client.HMGet(ctx, jobPrefix+c.Message, "status", "retries_left", "retry_intervals").Result()
	if err != nil {
		return err
	}
	status, _ := hash[0].(string)
	left, _ := strconv.Atoi(fmt.Sprint(hash[1]))
	switch {
	case hash[0] == nil: // there is no job any more
		q.GiveUp(queue.Deleted, c.Message, c.Kept)
	case took == 0 && status == queued && q.Copies(c.Message) == 1: // it was not begun, and is nowhere else
		q.GiveUp(queue.Lost, c.Message, c.Kept)
		return q.Redeliver(c.Message)
	case took == 0 && status != started: // another copy has gone on with it
		q.GiveUp(queue.Deleted, c.Message, c.Kept)
	case left > 0:
		return q.retry(ctx, c, left, hash[2])
	default:
		q.GiveUp(queue.Abandoned, c.Message, c.Kept)
		return q.Redeliver(c.Message)
	}
	return nil
}

// takeOff takes a job off the list and the registry that it is in, and tells in how many of the
// lists it was.
func (q *Queue) takeOff(ctx context.Context, c queue.Copy) (took int64, err error) {
	registry, member, is := strings.Cut(c.Kept, " ")
	if took, err = q.Client.LRem(ctx, c.Place+between, 1, c.Message).Result(); err == nil && is {
		err = q.Client.ZRem(ctx, registry, member).Err()
	}
	return took, err
}

// retry is at once, or after the interval whose turn it is.
func (q *Queue) retry(ctx context.Context, c queue.Copy, left int, intervals any) error {
	var all []int
	text, _ := intervals.(string)
	_ = json.Unmarshal([]byte(text), &all) // or there are none
	interval := 0
	if n := max(len(all)-left, 0); n < len(all) {
		interval = all[n]
	}
	q.Reclaimed("", c.Message, c.Kept)
	if err := q.Client.HSet(ctx, jobPrefix+c.Message, "retries_left", left-1, "status", scheduled).Err(); err != nil {
		return err
	}
	if interval == 0 {
		q.Arrived("", c.Message, c.Place, nil)
		return q.enqueue(c.Message, c.Place)
	}
	at := time.Now().Unix() + int64(interval)
	added, err := q.Client.ZAdd(ctx, scheduledPrefix+nameOf(c.Place), redis.Z{Score: float64(at), Member: c.Message}).Result()
	q.delayed("", nameOf(c.Place), c.Message, strconv.FormatInt(at, 10), strconv.FormatInt(added, 10))
	return err
}
