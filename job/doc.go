// Package job says what a job is: its operation key, its fingerprint, its
// lease, and what happens to a stale claim.
//
// Hard rule: everything here is pure. A function takes values and returns
// values; no clock, no I/O, no goroutine. The guard, the replay and the note
// all ask this package, so they cannot disagree.
package job
