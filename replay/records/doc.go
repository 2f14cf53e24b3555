// Package records reads a job's idempotency records for the replay, from outside
// the worker, and lets time pass for them.
//
// Hard rule: it never writes anything but the times of the replay's own keys. It
// does not import the guard: a prover built on the guard would vouch for itself.
package records
