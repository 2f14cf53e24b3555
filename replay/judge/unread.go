package judge

import "slices"

// notRead is the doubt that comes of it.
func notRead(events []Event) Verdict {
	if i := slices.IndexFunc(events, func(e Event) bool { return e.Event == EventUnread || e.Event == EventUnreadable }); i >= 0 {
		return doubt("%s", events[i].Detail)
	}
	return Verdict{}
}
