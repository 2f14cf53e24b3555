package job

import "slices"

// Moment is what was true of an operation at the instant a worker died.
type Moment struct {
	Claimed   bool `json:"claimed"`   // its claim was committed
	Effect    bool `json:"effect"`    // its effect was made
	Completed bool `json:"completed"` // its completion was committed
}

// End is how an operation may end: this many effects, and the record in this
// state. An empty state means that no record is looked at.
type End struct {
	Effects int    `json:"effects"`
	State   string `json:"state,omitempty"`
}

// The states in which an operation has ended.
const (
	EndCompleted = "completed"
	EndHeld      = "held"
)

// Ends lists how an operation may end after one worker died at that moment and
// the message was delivered again past the lease. It is written into the plan
// before anything runs.
func (j Job) Ends(at Moment) []End {
	once := []End{{1, EndCompleted}}
	if j.Effect.Kind == OwnRow || at.Completed || !at.Claimed {
		return once
	}
	switch j.Stale.Policy {
	case Hold:
		return []End{{count(at.Effect), EndHeld}}
	case AcceptMiss:
		return []End{{count(at.Effect), EndCompleted}}
	case AcceptDuplicate:
		if at.Effect {
			return []End{{1, EndCompleted}, {2, EndCompleted}}
		}
	}
	return once
}

// UnguardedEnds is the measure for code that keeps no record of ours: it is
// judged by its effects alone.
func UnguardedEnds() []End { return []End{{Effects: 1}} }

// Union has what either permits, each once.
func Union(a, b []End) []End {
	all := slices.Clone(a)
	for _, e := range b {
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

func count(effect bool) int {
	if effect {
		return 1
	}
	return 0
}
