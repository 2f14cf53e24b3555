package repeats

import "time"

// Reason is why a repeat may be none.
type Reason string

// The reasons.
const (
	ContentDiffers Reason = "content_differs"
	Monthly        Reason = "monthly"
	Yearly         Reason = "yearly"
	Regular        Reason = "regular"
)

var reasonWords = map[Reason]string{
	ContentDiffers: "the content differs from the event before",
	Monthly:        "it comes a calendar month after the event before",
	Yearly:         "it comes a year after the event before",
	Regular:        "the events of this reference come at equal intervals",
}

// legitimate says why the i-th event may be an operation of its own. The same message
// delivered again is never one.
func (g Group) legitimate(i int) (Reason, bool) {
	if g.identity(i) == sameMessage {
		return "", false
	}
	switch {
	case g.contentDiffers(i):
		return ContentDiffers, true
	case g.months(i, 1):
		return Monthly, true
	case g.months(i, 12):
		return Yearly, true
	case g.regular(i):
		return Regular, true
	}
	return "", false
}

// months: so many calendar months later, give or take a day. The 31st is followed by
// the last day of a shorter month.
func (g Group) months(i, months int) bool {
	before, now := time.UnixMicro(g.Events[i-1].At).UTC(), time.UnixMicro(g.Events[i].At).UTC()
	later := before.AddDate(0, months, 0)
	if later.Day() != before.Day() { // AddDate went on into the month after
		later = later.AddDate(0, 0, -later.Day())
	}
	apart := now.Sub(later)
	return max(apart, -apart) <= 24*time.Hour
}

// regular: within three events or more at equal intervals, longer than any timeout.
func (g Group) regular(i int) bool {
	gap := g.gap(i)
	if gap <= longestTimeout+regularTolerance { // it may as well be a visibility timeout
		return false
	}
	equal := 1
	for j := i - 1; j >= 1 && g.equal(j, gap); j-- {
		equal++
	}
	for j := i + 1; j < len(g.Events) && g.equal(j, gap); j++ {
		equal++
	}
	return equal+1 >= regularEvents
}

func (g Group) equal(j int, gap time.Duration) bool {
	apart := g.gap(j) - gap
	return max(apart, -apart) <= regularTolerance
}
