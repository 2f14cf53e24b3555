package amqpwire

import (
	"cmp"
	"slices"
	"sync"
)

// channels is what both sides of a connection know of its channels.
type channels struct {
	mu  sync.Mutex
	all map[uint16]*channelState
}

// channelState is what is known of one channel.
type channelState struct {
	consumers map[string]consumer
	unacked   map[uint64]Message // without bodies
	confirms  bool
	asked     consumer // by the Consume or the Get that came last
	declared  string   // the queue that is meant where none is named
}

type consumer struct {
	queue string
	noAck bool
}

// on is a channel. Under the lock.
func (cs *channels) on(number uint16) *channelState {
	c := cs.all[number]
	if c == nil {
		c = &channelState{consumers: map[string]consumer{}, unacked: map[uint64]Message{}}
		cs.all[number] = c
	}
	return c
}

func (cs *channels) with(number uint16, do func(*channelState)) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	do(cs.on(number))
}

func (cs *channels) forget(number uint16) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.all, number)
}

// consume is a Consume with its tag, which the broker may make, or a Get.
func (cs *channels) consume(number uint16, tag string, asked consumer) {
	cs.with(number, func(c *channelState) {
		if asked.queue == "" {
			asked.queue = c.declared
		}
		c.asked = asked
		if tag != "" {
			c.consumers[tag] = asked
		}
	})
}

// consumer is who gets what is delivered; without a tag it is a Get.
func (cs *channels) consumer(number uint16, tag string) (found consumer) {
	cs.with(number, func(c *channelState) {
		if found = c.asked; tag != "" {
			found = c.consumers[tag]
		}
	})
	return found
}

// delivered keeps a message until it is acknowledged.
func (cs *channels) delivered(number uint16, m Message) {
	m.Body, m.Cut = nil, false
	cs.with(number, func(c *channelState) { c.unacked[m.Tag] = m })
}

// meant are the messages that an acknowledgement is about: with multiple all up to the
// tag, and of the tag 0 all.
func (cs *channels) meant(number uint16, tag uint64, multiple bool) (all []Message) {
	cs.with(number, func(c *channelState) {
		for t, m := range c.unacked {
			if t == tag || multiple && (t < tag || tag == 0) {
				all = append(all, m)
			}
		}
	})
	if len(all) == 0 {
		all = []Message{{Tag: tag}} // the broker refuses it
	}
	slices.SortFunc(all, func(a, b Message) int { return cmp.Compare(a.Tag, b.Tag) })
	return all
}

func (cs *channels) settled(number uint16, all []Message) {
	cs.with(number, func(c *channelState) {
		for _, m := range all {
			delete(c.unacked, m.Tag)
		}
	})
}
