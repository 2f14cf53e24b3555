package repeats

// Class is what a repeat's timing says of its cause.
type Class string

// The classes.
const (
	Race              Class = "race"
	DuplicateProducer Class = "duplicate_producer"
	Retry             Class = "retry"
	VisibilityTimeout Class = "visibility_timeout"
	SidekiqRetry      Class = "sidekiq_retry"
	CeleryRetry       Class = "celery_retry"
	Deploy            Class = "deploy"
	RestartRecovery   Class = "restart_recovery"
	BatchAgain        Class = "batch_again"
	Redelivery        Class = "redelivery"
	ReEnqueue         Class = "re_enqueue"
	MaybeLegitimate   Class = "maybe_legitimate"
	// TimeZone is never a repeat's class, only what it could be as well: one effect,
	// written down under two clocks.
	TimeZone Class = "time_zone"
)

// Classes are all classes that a repeat can have, in the order in which they are told.
var Classes = []Class{
	Race, DuplicateProducer, Retry, VisibilityTimeout, SidekiqRetry, CeleryRetry, Deploy, RestartRecovery, BatchAgain, Redelivery, ReEnqueue,
	MaybeLegitimate,
}

// classWords are a class's name for people, and what it means.
var classWords = map[Class][2]string{
	Race:              {"race", "two workers had the job at the same time, or a client sent it twice at once"},
	DuplicateProducer: {"duplicate producer", "two messages were enqueued for one operation, at the same time"},
	Retry:             {"retry", "the job failed after its effect and ran again soon, or its message came again soon"},
	VisibilityTimeout: {"visibility timeout", "the run took longer than the queue waits for it, or its worker died: the message came again"},
	SidekiqRetry:      {"Sidekiq's retry", "the job raised an error after its effect; Sidekiq ran it again by its retry curve"},
	CeleryRetry:       {"Celery's retry", "the task raised an error after its effect; Celery ran it again after its retry delay"},
	Deploy:            {"deploy", "workers were ended by a deploy after the effect and before the acknowledgement"},
	RestartRecovery:   {"restart recovery", "many operations repeated at one moment: what dead workers had held was taken up again"},
	BatchAgain:        {"batch again", "many operations repeated at one moment, all after the same time: a batch began anew"},
	Redelivery:        {"late redelivery", "the same message came again much later"},
	ReEnqueue:         {"re-enqueue", "somebody or something put the operation on the queue again"},
	MaybeLegitimate:   {"maybe legitimate", "the rows differ in content, or come at regular times: perhaps no repeat at all"},
	TimeZone:          {"time zone", "one effect, written down under two clocks that are whole hours apart"},
}

// Name is the class for people.
func (c Class) Name() string { return classWords[c][0] }

// Meaning is a sentence that says what the class stands for.
func (c Class) Meaning() string { return classWords[c][1] }
