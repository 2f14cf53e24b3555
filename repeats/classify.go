package repeats

import (
	"slices"
	"time"
)

// Finding is one repeat, with its class and what speaks for it.
type Finding struct {
	Class Class
	Also  []Class // what it could be as well
	Gap   time.Duration
	At    int64

	Timeout  time.Duration // of a visibility timeout, and
	Multiple int           // how many times
	Fixed    bool          // a pile that nobody named: a fixed delay looks the same
	Count    int           // of a retry curve: which retry, from 0
	Backoff  bool          // the gaps double
	Burst    *Burst
	Deploy   int64  // the deploy it lies beside; 0: none
	Reason   Reason // why it may be legitimate
	Same     bool   // the message id is the same
	Other    bool   // the message id is another one
	Content  bool   // the content differs
}

// Classify decides about the i-th event of a group, from the second on.
func (c *Context) Classify(g Group, i int) Finding {
	id := g.identity(i)
	f := Finding{Gap: g.gap(i), At: g.Events[i].At, Same: id == sameMessage, Other: id == otherMessage, Content: g.contentDiffers(i)}
	c.byTiming(&f, g, i)
	if reason, ok := g.legitimate(i); ok {
		f.legitimate(reason)
	}
	if c.Naive && wholeHours(f.Gap) {
		f.also(TimeZone)
	}
	return f
}

// legitimate takes the place of the timing's class, which stays what it could be as
// well where the events are close: two charges of different amounts within a second.
func (f *Finding) legitimate(reason Reason) {
	timing := f.Class
	f.Class, f.Reason, f.Also = MaybeLegitimate, reason, nil
	if f.Gap <= closeAtMost || f.Other {
		f.also(timing)
	}
}

func (f *Finding) also(c Class) {
	if c != "" && c != f.Class && !slices.Contains(f.Also, c) {
		f.Also = append(f.Also, c)
	}
}

func (c *Context) byTiming(f *Finding, g Group, i int) {
	if f.Gap <= raceAtMost {
		c.atOnce(f)
		return
	}
	candidates := c.candidates(f, g, i)
	f.Class = candidates[0]
	for _, other := range candidates[1:] {
		f.also(other)
	}
}

func (c *Context) atOnce(f *Finding) {
	switch {
	case f.Other:
		f.Class = DuplicateProducer
	case f.Same:
		f.Class = Race
	default:
		f.Class = Race
		f.also(DuplicateProducer)
	}
	if c.Queue == "celery" && !f.Other { // retry_backoff's first wait is a second at most
		f.also(CeleryRetry)
	}
}

// candidates are what the repeat can be, the strongest evidence first.
func (c *Context) candidates(f *Finding, g Group, i int) []Class {
	var list []Class
	if at, ok := c.Deploys.beside(g.Events[i-1].At, f.At); ok && c.Deploys.Cluster() {
		f.Deploy = at
		list = append(list, Deploy)
	}
	if f.Other {
		f.Burst = c.burst(f.At)
		return append(list, ReEnqueue)
	}
	list = append(list, c.recovered(f)...)
	list = append(list, c.curves(f, g, i)...)
	if f.Burst != nil && f.Burst.Alike {
		list = append(list, BatchAgain)
		return append(list, c.hidden(f.Gap, i)...) // the messages that one worker had come again together, too
	}
	return append(list, c.plain(f, i, len(list) > 0)...)
}

// recovered: many at one moment. Who has no message ids cannot tell it from a script
// that enqueued them all again.
func (c *Context) recovered(f *Finding) []Class {
	f.Burst = c.burst(f.At)
	switch {
	case f.Burst == nil || f.Burst.Alike:
		return nil
	case f.Same:
		return []Class{RestartRecovery}
	}
	return []Class{RestartRecovery, ReEnqueue}
}

// curves are the queue's own delays, as far as this repeat shows them.
func (c *Context) curves(f *Finding, g Group, i int) (list []Class) {
	if timeout, ok := c.timeout(f.Gap); ok {
		f.Timeout, f.Multiple = timeout.Length, int((f.Gap+earlier(f.Gap))/timeout.Length)
		f.Fixed = !timeout.Given && c.Queue != "sqs"
		list = append(list, VisibilityTimeout)
	}
	sure, count := c.sidekiq(g, i)
	if sure {
		f.Count = count
		list = append(list, SidekiqRetry)
	}
	doubling := g.doubling(i)
	f.Backoff = doubling >= 3
	celery := onCeleryDelay(f.Gap) || f.Backoff
	if celery && c.Queue == "celery" || f.Backoff && c.Queue == "" && (!sure || doubling > 3) {
		list = slices.Insert(list, 0, CeleryRetry)
	} else if celery && c.Queue == "" && !sure {
		list = append(list, CeleryRetry)
	}
	if f.Fixed && len(list) > 0 && list[0] == VisibilityTimeout {
		list = append(list, Retry)
	}
	return list
}

// timeout is the pile that the gap is in. Sidekiq waits for no timeout.
func (c *Context) timeout(gap time.Duration) (Timeout, bool) {
	if c.Queue == "sidekiq" {
		return Timeout{}, false
	}
	for _, t := range c.Timeouts {
		if _, ok := t.multiple(gap); ok {
			return t, true
		}
	}
	return Timeout{}, false
}

// sidekiq is sure when the queue is Sidekiq, or when repeats follow the curve.
func (c *Context) sidekiq(g Group, i int) (sure bool, count int) {
	if c.Queue != "" && c.Queue != "sidekiq" {
		return false, 0
	}
	if count, ok := g.sidekiqRun(i); ok {
		return true, count
	}
	count, ok := sidekiqCount(g.gap(i), i-1)
	return ok && c.Queue == "sidekiq", count
}

// plain is what is left when nothing has a name: close or far apart, with what could
// hide in it.
func (c *Context) plain(f *Finding, i int, named bool) (list []Class) {
	switch {
	case named:
		return nil
	case f.Gap <= closeAtMost:
		list = append(list, Retry)
		return append(list, c.hidden(f.Gap, i)...)
	case f.Same:
		list = append(list, Redelivery)
	default:
		list = append(list, ReEnqueue, Redelivery)
	}
	return append(list, c.hidden(f.Gap, i)...)
}

// hidden are the queues' delays that a single gap may stand for.
func (c *Context) hidden(gap time.Duration, i int) (list []Class) {
	usual := slices.ContainsFunc([]time.Duration{30 * time.Second, time.Hour}, func(t time.Duration) bool { return Timeout{Length: t}.near(gap) })
	if usual && c.Queue != "sidekiq" {
		list = append(list, VisibilityTimeout)
	}
	if _, ok := sidekiqCount(gap, i-1); ok && c.Queue == "" {
		list = append(list, SidekiqRetry)
	}
	if c.Queue == "celery" && gap <= celeryBackoffMax {
		list = append(list, CeleryRetry)
	}
	return list
}
