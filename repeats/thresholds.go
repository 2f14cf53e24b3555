package repeats

import "time"

// The thresholds.
const (
	// raceAtMost: two workers on one message, or two messages enqueued together, are this
	// close; a queue's own retry is not.
	raceAtMost = 2 * time.Second
	// closeAtMost parts a retry from a re-enqueue where nothing else tells them apart.
	closeAtMost = 15 * time.Minute

	// burstWithin and burstReferences: so many references that repeat so close together
	// are one moment, when that is burstTimes as often as in the hour around.
	burstWithin     = 10 * time.Second
	burstReferences = 5
	burstTimes      = 10
	burstLongest    = 10 * time.Minute
	burstAround     = 30 * time.Minute
	burstCovered    = 3 * time.Minute

	// peakRepeats, peakContrast and peakChance: so many gaps of nearly one length are a pile
	// when beside it there are peakContrast times fewer, and when chance would make so much
	// less of what is around.
	peakRepeats  = 5
	peakContrast = 4
	peakChance   = 3

	// A repeat belongs to a deploy that was so shortly before or after it, or shortly
	// after the event before it; and only when such are deployLift times as many as chance
	// would have, and at least deployRepeats.
	deployAfter   = 10 * time.Minute
	deployBefore  = time.Minute
	deployKilled  = 5 * time.Minute
	deployLift    = 3
	deployRepeats = 3

	// longestTimeout is Amazon SQS's: what piles up at a longer gap is something else.
	longestTimeout = 12 * time.Hour
	mostMultiples  = 10

	zoneTolerance = 2 * time.Second
	mostZoneHours = 14

	sidekiqRetries = 25

	// regularEvents with equal gaps, longer than longestTimeout by more than
	// regularTolerance, are a schedule.
	regularEvents    = 3
	regularTolerance = 10 * time.Minute
)

// alike says whether two lengths are the same but for what a run takes.
func alike(a, b time.Duration) bool {
	return max(a, b)-min(a, b) <= max(2*time.Second, min(a, b)/20)
}

// wholeHours: as far apart as two time zones, or the clock change.
func wholeHours(gap time.Duration) bool {
	hours := gap.Round(time.Hour)
	apart := gap - hours
	return hours >= time.Hour && hours <= mostZoneHours*time.Hour && max(apart, -apart) <= zoneTolerance
}
