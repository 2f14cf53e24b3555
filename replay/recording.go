package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// recording is what is known of a run before anything is struck.
type recording struct {
	steps []recordedStep
	// unstable steps were in one of two runs only; background is what an idle worker says.
	unstable, background []string
	noise                noise
}

// noise is what a worker says that has no job: until it is ready, each step by its number, and
// afterwards now and again.
type noise struct {
	boot []wire.Step
	idle map[identity]bool
}

type identity struct{ peer, text string }

// is tells whether a step of a worker that is ready is of no job.
func (n noise) is(s wire.Step) bool {
	return queue.IsPoll(s.String()) || queue.IsBeat(s.String()) || n.idle[identity{s.Peer, s.Text}]
}

// without leaves it out of what a worker says from its start on.
func (n noise) without(steps []recordedStep) []recordedStep {
	return slices.DeleteFunc(steps, func(s recordedStep) bool { return n.is(s.Step) || slices.Contains(n.boot, s.Step) })
}

// compare keeps, in the order of the first, what both runs have and no idle worker says.
func compare(background []wire.Step, first, second []recordedStep) (r recording) {
	r.noise.idle = map[identity]bool{}
	for _, s := range background {
		if id := (identity{s.Peer, s.Text}); !r.noise.idle[id] && !queue.IsPoll(s.String()) {
			r.noise.idle[id] = true
			r.background = append(r.background, stepText(s))
		}
	}
	for _, s := range first {
		switch {
		case r.noise.is(s.Step):
		case among(second, s):
			r.steps = append(r.steps, s)
		default:
			r.unstable = append(r.unstable, stepText(s.Step))
		}
	}
	for _, s := range second {
		if !r.noise.is(s.Step) && !among(first, s) {
			r.unstable = append(r.unstable, stepText(s.Step))
		}
	}
	return r
}

func among(all []recordedStep, s recordedStep) bool {
	return slices.ContainsFunc(all, func(other recordedStep) bool { return other.Step == s.Step })
}

// tell is the recording for people.
func (r recording) tell() string {
	writes := 0
	for _, s := range r.steps {
		if s.Protocol == protocolFile {
			writes++
		}
	}
	text := fmt.Sprintf("%d steps recorded in each of two runs", len(r.steps)-writes)
	if writes > 0 {
		text = fmt.Sprintf("%d steps and %d writes to the database's files recorded in each of two runs", len(r.steps)-writes, writes)
	}
	if len(r.unstable) > 0 {
		text += "; in one of them only, and so not struck: " + strings.Join(r.unstable, ", ")
	}
	if len(r.background) > 0 {
		text += "; left out, since an idle worker says it too: " + strings.Join(r.background, ", ")
	}
	return text
}
