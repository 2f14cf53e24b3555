package main

import (
	"context"
	"errors"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

// resolveQueue opens the queue once, when the first message is to be put back.
type resolveQueue struct {
	flag  string // on the command line
	apply bool
	open  func(context.Context, []byte) error
}

// pushPatience bounds one put back, the queue client's own retries included.
const pushPatience = 10 * time.Second

func (q *resolveQueue) putBack(ctx context.Context, j job.Job) (func(context.Context, []byte) error, error) {
	address := queueAddress(j, q.flag)
	switch {
	case address == "":
		return nil, nil // left for the sweep
	case q.open != nil:
		return q.open, nil
	case !q.apply:
		return func(context.Context, []byte) error { return errors.New("only shown") }, nil
	}
	push, err := putBack(ctx, j, address)
	if err != nil {
		return nil, err
	}
	q.open = func(ctx context.Context, message []byte) error {
		ctx, cancel := context.WithTimeout(ctx, pushPatience)
		defer cancel()
		return push(ctx, message)
	}
	return q.open, nil
}
