package judge

// What the tests look at, which are outside since they take their plans from package replay.
var (
	AgeAt         = ageAt
	EndsOf        = Planned.ends
	Facts         = facts
	HotLoopAt     = hotLoopAt
	Ms            = ms
	QueueFacts    = queueFacts
	Severity      = severity
	WithCollation = withCollation
	WrongPolicy   = wrongPolicy
)
