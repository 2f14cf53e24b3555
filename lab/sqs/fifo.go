package sqs

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"time"
)

// dedupInterval is how long a FIFO queue knows a deduplication id, from the
// first send on, whether or not the message was deleted since.
const dedupInterval = 5 * time.Minute

type deduplication struct {
	first *stored
	at    time.Time
}

// deduplicationID is the producer's, or on a queue with content-based
// deduplication the digest of the body; attributes do not count.
func (q *queue) deduplicationID(m Message) string {
	if m.DeduplicationID != "" || !q.set.fifo {
		return m.DeduplicationID
	}
	sum := sha256.Sum256([]byte(m.Body))
	return hex.EncodeToString(sum[:])
}

func (q *queue) dedupKey(m Message) string {
	if q.set.dedupByGroup {
		return m.GroupID + "\x00" + m.DeduplicationID
	}
	return m.DeduplicationID
}

// duplicate is the message that m repeats, nil if it repeats none.
func (q *queue) duplicate(now time.Time, m Message) *stored {
	if !q.set.fifo {
		return nil
	}
	maps.DeleteFunc(q.dedup, func(_ string, d deduplication) bool { return now.Sub(d.at) >= dedupInterval })
	return q.dedup[q.dedupKey(m)].first
}

func (q *queue) remember(now time.Time, m *stored) {
	if q.set.fifo {
		q.dedup[q.dedupKey(m.Message)] = deduplication{m, now}
	}
}

// inTurn is what a receive on a FIFO queue may take, in order: whole groups,
// the one with the oldest message first, each up to its first message that is
// in flight or delayed.
//
// The rule is "nothing before it is in flight", not "nothing of the group is in
// flight": recorded of the real service, after m1 and m2 were received together
// and m1 made visible again, m1 is handed out while m2 is still in flight. m3
// never overtakes m2 under either.
func (q *queue) inTurn() []*messageCopy {
	groups := map[string][]*messageCopy{}
	blocked := map[string]bool{}
	var order []string
	for _, c := range q.copies {
		if c.state != visible {
			blocked[c.GroupID] = true
		}
		if blocked[c.GroupID] {
			continue
		}
		if groups[c.GroupID] == nil {
			order = append(order, c.GroupID)
		}
		groups[c.GroupID] = append(groups[c.GroupID], c)
	}
	var all []*messageCopy
	for _, g := range order {
		all = append(all, groups[g]...)
	}
	return all
}
