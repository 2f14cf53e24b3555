package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/queue/sqs"
	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/pgwire"
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
		if why := excuse(events[:i], e); why != "" {
			return doubt("%s, and %s", e.Detail, why)
		}
		return violates(Blocked, "%s", e.Detail)
	}
	return Verdict{}
}

// excuse is why a worker that was still busy at a time-out may not be blocked.
func excuse(before []Event, timeout Event) string {
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
		if why := excuseOf(name, run, timeout); why != "" {
			return why
		}
	}
	return ""
}

// excuseOf looks at what one worker said to the outside service and the database.
func excuseOf(name string, run []Event, timeout Event) string {
	under := map[string]string{} // peer by the step without an end
	last, done, refused := int64(0), 0, 0
	for _, e := range run {
		peer := peerOf(e)
		if e.Worker != name || e.Event != EventStep || peer != peerOutside && peer != peerDatabase {
			continue
		}
		last = e.MS
		switch wire.Phase(e.What) {
		case wire.Request, wire.Forwarded, wire.Held:
			under[e.Step] = peer
		case wire.Reply:
			if peer == peerDatabase {
				wrote, failed := pgwire.Writes(e.Detail)
				done, refused = done+wrote, refused+failed
			}
		default:
			delete(under, e.Step)
		}
	}
	for _, peer := range under {
		if peer == peerOutside || timeout.What != timeoutLocked {
			return fmt.Sprintf("worker %s waits for the %s, which has not answered", name, peer)
		}
	}
	switch ago := timeout.MS - last; {
	case refused > 0 && done == 0:
		return fmt.Sprintf("the database has answered whatever worker %s wrote with an error", name)
	case last > 0 && len(under) == 0 && ago < timeout.ForMS/2:
		return fmt.Sprintf("worker %s was still getting further %s before: it may only be slow", name, ms(ago))
	}
	return ""
}

// havers are the workers that have a message in hand. A message whose visibility its
// worker has changed was put back or kept longer: put back by one that asks for more.
func havers(run []Event) map[string]bool {
	inHand, polls := map[copyOf]string{}, map[string]map[string]bool{}
	changed := map[copyOf]bool{}
	for _, e := range run {
		c := copyOf{e.Message, e.Copy}
		switch {
		case e.Event == EventStep && strings.HasPrefix(e.Step, polling):
			poll(polls, e)
		case e.Event != EventQueue:
		case e.What == "received":
			inHand[c], changed[c] = e.Worker, false
		case e.What == "visibility_changed":
			changed[c] = true
		case slices.Contains(settled, e.What):
			delete(inHand, c)
		}
	}
	for c := range inHand {
		if changed[c] && len(polls[inHand[c]]) > 0 {
			delete(inHand, c)
		}
	}
	return workersOf(inHand)
}

const polling = sqs.Peer + " ReceiveMessage "

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
