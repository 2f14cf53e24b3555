package repeats

import "time"

// Event is what a source shows of one effect, or of one run of the job.
type Event struct {
	At      int64  // microseconds since 1970, UTC
	Message uint64 // a hash of the queue's message id; 0: not known
	Content uint64 // a hash of the columns that must not differ; 0: not known
	Key     uint64 // a hash of the operation key; 0: not known
	Source  uint8  // 0: the source; 1: the one it is joined with
}

// Group is every event of one reference and one source, by time.
type Group struct {
	Reference string
	Events    []Event
}

// gap is how long after the event before it the i-th came.
func (g Group) gap(i int) time.Duration {
	return time.Duration(g.Events[i].At-g.Events[i-1].At) * time.Microsecond
}

// identity says whether two events come from one message of the queue.
type identity int

const (
	unknownMessage identity = iota // one of them has no message id
	sameMessage
	otherMessage
)

func (g Group) identity(i int) identity {
	before, now := g.Events[i-1].Message, g.Events[i].Message
	switch {
	case before == 0 || now == 0:
		return unknownMessage
	case before == now:
		return sameMessage
	}
	return otherMessage
}

func (g Group) contentDiffers(i int) bool {
	before, now := g.Events[i-1].Content, g.Events[i].Content
	return before != 0 && now != 0 && before != now
}
