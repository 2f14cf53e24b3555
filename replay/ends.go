package replay

import "github.com/twiceproof/twiceproof/job"

// Ends that a case permits beside those of the policy, or in their place.

// once: the first worker's own finish is right too.
func once(job.Job, job.Moment) []job.End { return []job.End{{Effects: 1, State: job.EndCompleted}} }

// onceMore: a call that was already on its way when the worker was paused.
func onceMore(j job.Job, at job.Moment) []job.End {
	ends := once(j, at)
	if !at.Claimed || at.Completed { // it had no claim to be late with
		return ends
	}
	for _, e := range j.Ends(at) {
		ends = append(ends, job.End{Effects: e.Effects + 1, State: job.EndCompleted})
	}
	return ends
}

// heldEnd: what is claimed is held, since nobody can tell.
func heldEnd(j job.Job, at job.Moment) []job.End {
	if !at.Claimed || at.Completed {
		return j.Ends(at)
	}
	effects := 0
	if at.Effect {
		effects = 1
	}
	return []job.End{{Effects: effects, State: job.EndHeld}}
}
