package judge

// KeylessMessages is how many: the second one is what a key that all such messages
// share would make a repeat of the first.
const KeylessMessages = 2

// keylessEnd: what names no operation is left to a person, by the queue's own dead
// letters.
func keylessEnd(end Seen) Verdict {
	switch {
	case end.Queued+end.Effects < KeylessMessages:
		return violates(Lost, "%d messages without an operation key: %s, and %d left on the queue", KeylessMessages, effectCount(end.Effects), end.Queued)
	case end.Effects > 0:
		return violates(AgainstPolicy, "acted on messages that name no operation: %s", effectCount(end.Effects))
	}
	return Verdict{}
}
