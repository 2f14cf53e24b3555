package judge

import (
	"fmt"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/queue"
	"github.com/twiceproof/twiceproof/wire"
)

// blocked: in a race, a worker that still has the message when the time is over, and
// neither waits for an answer nor gets any further, waits for something that does
// not come. One that is only slow, or that can do nothing without its database, is
// not blocked by the other one.
func blocked(p Planned, events []Event) Verdict {
	for i, e := range events {
		if !p.Races || e.Event != EventTimeout || e.Run == 0 {
			continue
		}
		if why := excuse(p, events[:i], e); why != "" {
			return doubt("%s, and %s", e.Detail, why)
		}
		return violates(Blocked, "%s", e.Detail)
	}
	return Verdict{}
}

// excuse is why a worker that was still busy at a time-out may not be blocked.
func excuse(p Planned, before []Event, timeout Event) string {
	var run []Event
	for _, e := range before {
		if e.Run == timeout.Run {
			run = append(run, e)
		}
	}
	have := havers(run)
	if len(have) == 0 {
		return "no worker has the message"
	}
	for name := range have {
		if has := timeout.MS - receivedAt(name, run); has < p.LongestRunMS {
			return fmt.Sprintf("worker %s has had its message for %s: longest_run lets it be busy for %s", name, ms(has).Round(time.Second/10), ms(p.LongestRunMS))
		}
		if why := excuseOf(name, run, timeout); why != "" {
			return why
		}
	}
	return ""
}

// receivedAt is when a worker has got its last message.
func receivedAt(name string, run []Event) (at int64) {
	for _, e := range run {
		if e.Event == EventQueue && e.What == "received" && e.Worker == name {
			at = max(at, e.MS)
		}
	}
	return at
}

// talk is what one worker said to the outside service and the database.
type talk struct {
	under         map[string]string // peer by the step without an end
	last          int64             // when it said or heard something
	done, refused int               // writes that the database answered
}

func talkOf(name string, run []Event) talk {
	t := talk{under: map[string]string{}}
	for _, e := range run {
		peer := peerOf(e)
		if e.Worker != name || e.Event != EventStep || peer != PeerOutside && peer != PeerDatabase {
			continue
		}
		t.last = e.MS
		switch wire.Phase(e.What) {
		case wire.Request, wire.Forwarded, wire.Held:
			t.under[e.Step] = peer
		case wire.Reply:
			if peer == PeerDatabase {
				wrote, failed := wire.Writes(e.Detail)
				t.done, t.refused = t.done+wrote, t.refused+failed
			}
		default:
			delete(t.under, e.Step)
		}
	}
	return t
}

func excuseOf(name string, run []Event, timeout Event) string {
	t := talkOf(name, run)
	for _, peer := range t.under {
		if peer == PeerOutside || timeout.What != TimeoutLocked {
			return fmt.Sprintf("worker %s waits for the %s, which has not answered", name, peer)
		}
	}
	switch ago := timeout.MS - t.last; {
	case t.refused > 0 && t.done == 0:
		return fmt.Sprintf("the database has answered whatever worker %s wrote with an error", name)
	case t.last > 0 && len(t.under) == 0 && ago < timeout.ForMS/2:
		return fmt.Sprintf("worker %s was still getting further %s before: it may only be slow", name, ms(ago))
	}
	return ""
}

// havers are the workers that have a message in hand. A message whose visibility is over,
// or was changed by its worker, was let go only by one that asks for more: another one is
// still at work on it, also where somebody else has it meanwhile.
func havers(run []Event) map[string]bool {
	type hand struct {
		worker string
		of     copyOf
	}
	has, polls := map[hand]bool{}, map[string]map[string]bool{} // has it, and surely
	for _, e := range run {
		h := hand{e.Worker, copyOf{e.Message, e.Copy}}
		switch {
		case e.Event == EventStep && queue.IsPoll(e.Step):
			poll(polls, e)
		case e.Event != EventQueue:
		case e.What == "received":
			has[h] = true
		case e.What == "deleted":
			delete(has, h)
		case e.What == "visibility_changed", e.What == "visibility_over":
			for other := range has {
				if other.of == h.of && (other.worker == h.worker || h.worker == "") {
					has[other] = false
				}
			}
		}
	}
	workers := map[string]bool{}
	for h, surely := range has {
		if surely || len(polls[h.worker]) == 0 {
			workers[h.worker] = true
		}
	}
	return workers
}

// poll keeps which receives of a worker are open.
func poll(polls map[string]map[string]bool, e Event) {
	if polls[e.Worker] == nil {
		polls[e.Worker] = map[string]bool{}
	}
	switch wire.Phase(e.What) {
	case wire.Request, wire.Forwarded:
		polls[e.Worker][e.Step] = true
	default:
		delete(polls[e.Worker], e.Step)
	}
}

func peerOf(e Event) string {
	peer, _, _ := strings.Cut(e.Step, " ")
	return peer
}
