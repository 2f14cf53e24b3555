package judge

// What EventUnproxied says of a call that the stand-in did not understand.
const (
	ThenEffect = "then_effect"     // an effect was made after it
	NoEffect   = "no_effect_since" // none was, by the look that comes next
)

// misled: what a look shows too much of may come from a call that the stand-in did not
// understand, since the replay file does not name it or names it wrongly.
// Counter-example: a look-up that is answered "unknown", after which a right worker
// acts again.
func misled(events []Event, look Event) bool {
	asked, looks := false, 0
	for _, e := range events {
		switch {
		case e == look:
			return asked && looks > 0
		case e.Event == EventUnproxied && e.What == ThenEffect:
			asked, looks = true, 1
		case e.Event == EventUnproxied && e.What == NoEffect:
			asked = true
		case e.isLook() && asked:
			looks++
		}
	}
	return false
}
