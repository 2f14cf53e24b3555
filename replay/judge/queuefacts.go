package judge

import (
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/queue"
)

// queueFacts is what the queue did by itself that people should know of, whatever the
// verdict about the code is.
func queueFacts(events []Event) []string {
	facts := append(deadLetters(events), told(count(events, queue.Lost), "the queue lost the message with its worker, so the replay put the same one on again",
		"the queue lost messages with their workers, %d times, so the replay put the same ones on again")...)
	facts = append(facts, told(count(events, queue.LostEarly), lostEarly, lostEarly)...)
	facts = append(facts, told(count(events, queue.LostWithChild), lostWithChild, lostWithChild)...)
	facts = append(facts, told(count(events, queue.Abandoned), abandoned, abandoned)...)
	facts = append(facts, told(count(events, queue.Unscheduled), unscheduled, unscheduled)...)
	return append(facts, told(count(events, queue.EndUnseen), endUnseen, endUnseen)...)
}

const (
	lostEarly     = "the queue lost a task with its worker, which had acknowledged it before it worked on it, so the replay put the same one on again; acks_late keeps it"
	lostWithChild = "the worker acknowledged a task whose process was killed, so the queue lost it, and the replay put the same one on again; " +
		"acks_late with reject_on_worker_lost (task_reject_on_worker_lost) keeps it"
	abandoned = "the queue gave up a job whose worker or work horse was killed, so it is among the failed ones, and the replay put the same one on again; " +
		"retry=Retry(…) keeps it"
	unscheduled = "a job waited for its time, and no worker has a scheduler, so the replay put it on; --with-scheduler does so"
	endUnseen   = "the worker acknowledges before it works and sends no task events, so its end cannot be seen: start it with -E"
)

// deadLetters, by the reason that the queue gave, in the order in which each came first.
func deadLetters(events []Event) (facts []string) {
	number, whys := map[string]int{}, []string{}
	for _, e := range events {
		if e.Event != EventQueue || e.What != string(queue.DeadLettered) {
			continue
		}
		if number[e.Detail]++; number[e.Detail] == 1 {
			whys = append(whys, e.Detail)
		}
	}
	for _, why := range whys {
		one, many := "the queue gave the message up: "+why, "the queue gave %d messages up: "+why
		if why == "" {
			one += "it was received max_receive_count times"
			many += "each was received max_receive_count times"
		}
		facts = append(facts, told(number[why], one, many)...)
	}
	return facts
}

func count(events []Event, kind queue.Kind) (n int) {
	for _, e := range events {
		if e.Event == EventQueue && e.What == string(kind) {
			n++
		}
	}
	return n
}

// told is many with the number in the place of its %d, where it has one: the rest may be
// anybody's words.
func told(n int, one, many string) []string {
	switch n {
	case 0:
		return nil
	case 1:
		return []string{one}
	}
	return []string{strings.Replace(many, "%d", strconv.Itoa(n), 1)}
}
