package rq

import (
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire/respwire"
)

// A step is called by what becomes of the job. What is cut short, which Redis refuses, has a
// name as well.
func TestStepName(t *testing.T) {
	for said, want := range map[string]string{
		"ZREM rq:wip:default j; ZADD rq:finished:default 1 j":        stepFinish,
		"ZREM rq:wip:default j; ZADD rq:failed:default 1 j":          stepFail,
		"ZREM rq:wip:default j; RPUSH rq:queue:default j":            stepPutBack,
		"ZREM rq:wip:default j; ZADD rq:scheduled:default 1 j":       stepPutBack,
		"ZADD rq:wip:default XX 1 j":                                 queue.Beat,
		"EXPIRE rq:worker:a 90; HSET rq:worker:a last_heartbeat now": queue.Beat,
		"EXPIRE rq:worker:a 90; ZADD rq:finished:default 1 j":        "",
		"ZADD rq:wip:default 1 j":                                    "",
		"ZADD rq:wip:default":                                        "", "ZREM rq:wip:default": "", "ZREM": "", "": "",
	} {
		if got := stepName(respwire.Said{Commands: commands(said)}); got != want {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

func commands(said string) (all []respwire.Command) {
	for one := range strings.SplitSeq(said, "; ") {
		name, rest, _ := strings.Cut(one, " ")
		c := respwire.Command{Name: name}
		for word := range strings.FieldsSeq(rest) {
			c.Args = append(c.Args, []byte(word))
		}
		all = append(all, c)
	}
	return all
}
