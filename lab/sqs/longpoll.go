package sqs

import (
	"context"
	"slices"
	"time"
)

// poll is a ReceiveMessage that waits. What it is given is put into got under
// the lock, at most once.
type poll struct {
	receiving
	ctx context.Context
	got chan []received
}

// receive takes messages, waiting up to wait of the machine's time for the
// first. It takes none for a client that has gone.
func (e *Endpoint) receive(ctx context.Context, url string, r receiving, wait *time.Duration) (out []received, err *fault) {
	p := &poll{receiving: r, ctx: ctx, got: make(chan []received, 1)}
	var limit time.Duration
	e.do(func(now time.Time) {
		q, none := e.account.find(url)
		if err = none; err != nil || ctx.Err() != nil {
			return
		}
		if out = e.account.receive(now, q, r); len(out) > 0 {
			return
		}
		if limit = q.set.wait; wait != nil {
			limit = *wait
		}
		if limit > 0 {
			e.polls[q] = append(e.polls[q], p)
		}
	})
	if limit == 0 {
		return out, err
	}
	return e.await(p, limit), nil
}

func (e *Endpoint) await(p *poll, limit time.Duration) []received {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case got := <-p.got:
		return got
	case <-timer.C:
	case <-p.ctx.Done():
	case <-e.done:
	}
	e.leave(p)
	select {
	case got := <-p.got: // given between the end of the wait and leaving
		return got
	default:
		return nil
	}
}

func (e *Endpoint) leave(p *poll) {
	e.do(func(time.Time) {
		for q := range e.polls {
			e.polls[q] = slices.DeleteFunc(e.polls[q], func(other *poll) bool { return other == p })
		}
	})
}

// serveAll gives waiting polls what there is. Again and again, because a
// receive may move a message to another queue where somebody waits too.
func (e *Endpoint) serveAll(now time.Time) {
	for again := true; again; {
		again = false
		for q := range e.polls {
			before := len(q.events)
			e.serve(now, q)
			again = again || len(q.events) > before
		}
	}
}

// serve goes through the polls in the order they came. Each gets its share, so
// that one that asked for ten does not take what the next one waits for.
func (e *Endpoint) serve(now time.Time, q *queue) {
	live := slices.DeleteFunc(e.polls[q], func(p *poll) bool { return p.ctx.Err() != nil })
	var left []*poll
	for i, p := range live {
		r := p.receiving
		r.max = min(r.max, share(len(q.takable()), len(live)-i))
		if got := e.account.receive(now, q, r); len(got) > 0 {
			p.got <- got
		} else {
			left = append(left, p)
		}
	}
	e.polls[q] = left
}

// share is an equal part, rounded up.
func share(messages, polls int) int {
	return (messages + polls - 1) / polls
}
