package judge

import "slices"

// Overlapped counts the runs of a race in which both deliveries had been received
// and neither was ended, by the queue's own log. Only such a run is a race.
func Overlapped(events []Event) int {
	n := 0
	for _, run := range byRun(events) {
		if overlaps(run) {
			n++
		}
	}
	return n
}

func byRun(events []Event) map[int][]Event {
	runs := map[int][]Event{}
	for _, e := range events {
		if e.Event == EventQueue && e.Run > 0 {
			runs[e.Run] = append(runs[e.Run], e)
		}
	}
	return runs
}

// overlaps: two deliveries are in hand at one moment, by two workers.
func overlaps(queue []Event) bool {
	inHand := map[copyOf]string{}
	for _, e := range queue {
		c := copyOf{e.Message, e.Copy}
		switch {
		case e.What == "received":
			inHand[c] = e.Worker
		case slices.Contains(deliveryEnds, e.What):
			delete(inHand, c)
		}
		if len(workersOf(inHand)) > 1 {
			return true
		}
	}
	return false
}

// deliveryEnds are what ends a delivery, by the queue's own log.
var deliveryEnds = []string{"deleted", "visibility_changed", "visibility_over"}

type copyOf struct {
	message string
	copy    int
}

func workersOf(inHand map[copyOf]string) map[string]bool {
	workers := map[string]bool{}
	for _, w := range inHand {
		workers[w] = true
	}
	return workers
}
