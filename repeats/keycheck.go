package repeats

// KeyCheck holds an operation key against what happened: would it have made one
// operation of two, or two of one?
type KeyCheck struct {
	Rows     int
	Unusable map[string]int // rows without a key that can be used, by reason
	// Merged are keys with events of several references, or, where a key has one
	// reference, with other content and far apart.
	Merged          int
	MergedByContent int
	// Split are references whose repeats have another key: the key would not have
	// stopped them. Stopped are repeats that it would have.
	Split   int
	Stopped int
	Missed  int // repeats with another key
}

// AddReference sees the events of one reference, by time.
func (k *KeyCheck) AddReference(g Group) {
	split := false
	for i := 1; i < len(g.Events); i++ {
		before, now := g.Events[i-1].Key, g.Events[i].Key
		switch {
		case before == 0 || now == 0:
		case before == now:
			k.Stopped++
		default:
			k.Missed++
			split = true
		}
	}
	if split {
		k.Split++
	}
}

// AddKey sees the events of one key, by time. In Message is a hash of the reference.
func (k *KeyCheck) AddKey(events []Event) {
	for i := 1; i < len(events); i++ {
		before, now := events[i-1], events[i]
		if before.Message != now.Message {
			k.Merged++
			return
		}
	}
	for i := 1; i < len(events); i++ {
		g := Group{Events: events}
		if g.contentDiffers(i) && g.gap(i) > closeAtMost {
			k.MergedByContent++
			return
		}
	}
}

// Refuse counts a row whose key cannot be used.
func (k *KeyCheck) Refuse(why string) {
	if k.Unusable == nil {
		k.Unusable = map[string]int{}
	}
	k.Unusable[why]++
}
