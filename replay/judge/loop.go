package judge

// A put back by a correct worker costs one delivery.
const hotLoopAt = 20

// hotLoop: a message that comes again and again though the replay lets no time pass.
func hotLoop(p Planned, events []Event) Verdict {
	received := map[copyOf][]int64{}
	for _, e := range events {
		switch {
		case e.Event == EventPassed:
			clear(received)
		case e.Event == EventQueue && e.What == "received":
			c := copyOf{e.Message, e.Copy}
			if received[c] = append(received[c], e.MS); len(received[c]) > hotLoopAt {
				return looped(p, received[c])
			}
		}
	}
	return Verdict{}
}

// looped says what kind of loop it is, by the real time from one receive to the next.
func looped(p Planned, times []int64) Verdict {
	const atOnce = 1000
	each := (times[len(times)-1] - times[0]) / int64(len(times)-1)
	switch {
	case p.Guarded && p.LeaseMS > 0 && each >= p.LeaseMS:
		return violates(Stuck, "the same message was received more than %d times, every %s: each run takes longer than the lease of %s", hotLoopAt, ms(each), ms(p.LeaseMS))
	case each < atOnce:
		return violates(Stuck, "the same message was received again at once more than %d times", hotLoopAt)
	}
	return violates(Stuck, "the same message was received more than %d times, every %s, and was not done with", hotLoopAt, ms(each))
}
