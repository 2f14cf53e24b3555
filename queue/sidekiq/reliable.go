package sidekiq

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// What gitlab-sidekiq-fetcher keeps in Redis: the list of what each worker has in hand, the
// workers' heartbeats, and the lock of who has looked for dead ones last.
const (
	workingPrefix = "working:" + queuePrefix
	beatPrefix    = "reliable-fetcher-heartbeat-"
	lookLock      = "reliable-fetcher-cleanup-lock"
	interrupted   = "interrupted" // the set of jobs that were interrupted too often
	interruptions = "interrupted_count"
)

// askPause is how long a worker sleeps that has asked in vain.
const askPause = 5 * time.Second

// sawReliable follows what such a worker says beside what every worker does.
func (q *Queue) sawReliable(worker string, c respwire.Command) {
	key := string(c.Args[0])
	switch {
	case c.Name == "LPUSH" && strings.HasPrefix(key, workingPrefix):
		q.eachJob(c.Args[1:], func(j job, _ []byte) { q.Keep(worker, j.JID, key) })
	case c.Name == "LREM" && strings.HasPrefix(key, workingPrefix):
		q.eachJob(c.Args[1:], func(j job, _ []byte) { q.Acknowledged(worker, j.JID) })
	case c.Name == "SET" && strings.HasPrefix(key, beatPrefix):
		q.Beats(worker, expiry(c))
	case c.Name == "SET" && key == lookLock:
		q.Looks(expiry(c))
	}
}

// expiry is the EX of a SET.
func expiry(c respwire.Command) time.Duration {
	i := slices.IndexFunc(c.Args, func(arg []byte) bool { return strings.EqualFold(string(arg), "EX") })
	if i < 0 || i+1 >= len(c.Args) {
		return 0
	}
	seconds, _ := strconv.Atoi(string(c.Args[i+1])) // or Redis has refused it
	return time.Duration(seconds) * time.Second
}

// isAcknowledgement: the worker takes a job off its own list.
func isAcknowledgement(s wire.Step) bool {
	return s.Peer == queue.Peer && strings.HasPrefix(s.Text, "LREM "+workingPrefix)
}

// asksInTurn: the poll is not answered later than at once, so it is made again and again.
func asksInTurn(s wire.Step) bool { return strings.HasPrefix(s.Text, "RPOPLPUSH ") }

// reclaim sees to it that what time has passed for comes again. A worker that starts looks
// for dead ones by itself, where nothing in Redis tells it not to. One that is idle would so,
// after some minutes of its own clock: what it does then is done at once.
func (q *Queue) reclaim(ctx context.Context) error {
	if !q.LookIsDue() {
		return nil
	}
	left := q.OfDead()
	if q.anyIdle() {
		q.LooksAgain()
		for _, c := range left {
			if err := q.giveBack(ctx, c); err != nil {
				return fmt.Errorf("give back what is in %s: %w", c.Kept, err)
			}
		}
		return nil
	}
	over := []string{lookLock}
	for _, c := range left {
		if _, identity, ok := ownList(c.Kept); ok {
			over = append(over, beatOf(identity))
		}
	}
	if err := q.Client.Del(ctx, over...).Err(); err != nil {
		return fmt.Errorf("let heartbeats end: %w", err)
	}
	return nil
}

func beatOf(identity string) string { return beatPrefix + strings.ReplaceAll(identity, ":", "-") }

func (q *Queue) anyIdle() bool {
	for _, idle := range q.Look().Idle {
		if idle {
			return true
		}
	}
	return false
}

// back moves a job from a worker's own list to its queue, unless somebody else has.
const back = `
if redis.call("LREM", KEYS[1], 1, ARGV[1]) == 0 then return 0 end
return redis.call("LPUSH", KEYS[2], ARGV[2])`

// giveBack does what a worker that looks does. It knows no limit of interruptions: no case
// comes to the one that is set, three.
func (q *Queue) giveBack(ctx context.Context, c queue.Copy) error {
	place, _, ok := ownList(c.Kept)
	if !ok {
		return nil
	}
	text, err := interruptedAgain(c.Payload)
	if err != nil {
		return err
	}
	q.Reclaimed("", c.Message, c.Kept)
	q.Arrived("", c.Message, place, text)
	return q.Client.Eval(ctx, back, []string{c.Kept, place}, c.Payload, text).Err()
}

func interruptedAgain(payload []byte) ([]byte, error) {
	fields := map[string]json.RawMessage{} // raw, so that every digit stays
	if err := json.Unmarshal(payload, &fields); err != nil {
		return nil, err
	}
	n, _ := strconv.Atoi(string(fields[interruptions])) // none yet
	fields[interruptions] = json.RawMessage(strconv.Itoa(n + 1))
	return json.Marshal(fields)
}

var ownListName = regexp.MustCompile(`^working:(queue:.*):([^:]*:[0-9]*:[0-9a-f]*)$`)

// ownList reads the name of a worker's own list.
func ownList(name string) (place, identity string, ok bool) {
	m := ownListName.FindStringSubmatch(name)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}
