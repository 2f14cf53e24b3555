package sqs

import (
	"sync/atomic"
	"time"
)

// Clock is the endpoint's clock: the machine's time plus what Advance added.
// The zero value works. It never goes back.
type Clock struct {
	ahead atomic.Int64
}

// Now is the time by this clock.
func (c *Clock) Now() time.Time {
	return time.Now().Add(time.Duration(c.ahead.Load()))
}

// advance is not exported: a jump that the endpoint does not hear of would
// leave its long polls asleep. Use Endpoint.Advance.
func (c *Clock) advance(d time.Duration) {
	c.ahead.Add(int64(max(d, 0)))
}
