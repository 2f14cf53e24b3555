package job

import "time"

// sqsMaxVisibility is SQS's limit for hiding a message.
const sqsMaxVisibility = 12 * time.Hour

// Notes names what is sound but worth knowing. It never makes a job invalid.
func (j Job) Notes() []Problem {
	var notes Problems
	field, length := "lease", "the lease"
	if j.Stale.Policy == Lookup {
		length = "lease + settle"
	}
	notes.check(j.Queue != SQS || j.StoredLease() <= sqsMaxVisibility, field,
		length+" is longer than the 12h for which SQS can hide a message",
		"a message that meets a live claim comes back every 12h until the lease is over, and each time counts towards maxReceiveCount")
	return notes
}
