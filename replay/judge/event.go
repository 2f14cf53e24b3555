package judge

import (
	"github.com/twiceproof/twiceproof/job"
)

// What an event of a history tells.
const (
	EventSent       = "sent"            // the replay put a message on the queue
	EventQueue      = "queue"           // the queue did something with a message
	EventStep       = "step"            // something crossed the wire
	EventWorker     = "worker"          // a worker process started, was killed, exited
	EventFault      = "fault"           // a fault fired, or did not
	EventPassed     = "time_passed"     // the replay let time pass for queue and record alike
	EventSeen       = "seen"            // effects and record were looked at
	EventUnproxied  = "unproxied"       // a call that was not meant for the stand-in, or that it did not understand
	EventTimeout    = "timeout"         // something was waited for in vain
	EventWaited     = "waited"          // a worker waited while another one was paused, or for its queue without end
	EventUnasked    = "never_asked"     // no look-up was asked, so none could fail
	EventKeys       = "keys"            // the application's own messages gave more than one operation key
	EventOwnPath    = "own_search_path" // a worker connected with a search_path of its own
	EventOwnClock   = "own_clock"       // each connection has a clock of its own, which the case has set ahead
	EventUnrested   = "never_at_rest"   // the queue kept the message, and nothing came of it
	EventUnfinished = "unfinished"      // the replay ended in the middle of the case
	EventOutlived   = "outlived"        // processes of a worker were there after their parent
	EventRecorded   = "recorded"        // what a run says, before anything is struck
	EventUnread     = "unread"          // the database could not be looked at: somebody was in the way
	EventUnreadable = "unreadable"      // a proxy ended a connection that it could not read
	EventApart      = "apart"           // the workers of a race did not meet: one was waited for in vain
	EventPrinted    = "printed"         // what a worker printed that got nowhere
)

// TimeoutLocked says that at the time-out a statement waited for a lock of another one.
const TimeoutLocked = "waits_for_lock"

// What a history says of a worker.
const (
	WorkerReady  = "ready"
	WorkerKilled = "killed"
	WorkerFailed = "ended_by_itself"
	WorkerPaused = "paused"
	WorkerWoken  = "woken"
	WorkerTold   = "told_to_stop"
	WorkerEnded  = "ended"

	WorkerChildKilled = "child_killed"

	WorkerForked = "forked"
)

// Event is one line of a history. Its fields are those that its kind has.
type Event struct {
	MS        int64  `json:"ms"` // since the case began, by the machine's clock
	Event     string `json:"event"`
	Run       int    `json:"run,omitempty"` // of a case with many runs
	Worker    string `json:"worker,omitempty"`
	Operation string `json:"operation,omitempty"`
	Message   string `json:"message,omitempty"`
	Copy      int    `json:"copy,omitempty"`
	What      string `json:"what,omitempty"` // the queue's event, the step's phase, the worker's change
	Step      string `json:"step,omitempty"`
	Detail    string `json:"detail,omitempty"`
	ForMS     int64  `json:"for_ms,omitempty"` // of a visibility, of time that passed, or that a worker took until it was ready
	Fired     bool   `json:"fired,omitempty"`
	Seen      *Seen  `json:"seen,omitempty"`
}

// isLook also refuses a stored line that has lost its look.
func (e Event) isLook() bool { return e.Event == EventSeen && e.Seen != nil }

// isEnd: a look at how it ended.
func (e Event) isEnd() bool {
	return e.isLook() && (e.Seen.When == SeenEnd || e.Seen.When == SeenAfter || e.Seen.When == SeenKeyless)
}

// Seen is one look at one operation from outside the worker.
type Seen struct {
	When       string `json:"when"` // one of the moments below
	Effects    int    `json:"effects"`
	LookUps    int    `json:"look_ups"`
	Queued     int    `json:"queued"` // copies of its messages that the queue still has
	Records    int    `json:"records"`
	State      string `json:"state,omitempty"`
	Token      string `json:"token,omitempty"`
	Acts       int    `json:"acts,omitempty"`
	Completion string `json:"completion,omitempty"`
	HoldReason string `json:"hold_reason,omitempty"`
	Policy     string `json:"policy,omitempty"`
	ClaimAgeMS int64  `json:"claim_age_ms,omitempty"`
	LeaseMS    int64  `json:"lease_ms,omitempty"`
	Late       bool   `json:"late_finish,omitempty"`
	GivenUp    bool   `json:"given_up,omitempty"`
}

// The moments of a look.
const (
	SeenFault = "fault" // right after the fault, before anything else happens
	SeenYoung = "young" // after a redelivery within the lease
	SeenRipe  = "ripe"  // just past the lease, before the redelivery
	SeenTaken = "taken" // after another worker has followed the policy, before the first wakes up
	SeenDown  = "down"  // after a delivery while the database could not be reached
	SeenEnd   = "end"   // when the queue is empty, or nothing more comes of it

	SeenAfter = "after" // a moment after the end, where the effects had become others

	SeenKeyless = "keyless" // the end of messages that name no operation
)

// Moment is what was true of the operation.
func (s Seen) Moment() job.Moment {
	return job.Moment{
		Claimed:   s.Records > 0,
		Effect:    s.Effects > 0,
		Completed: s.State == job.EndCompleted,
	}
}
