// Package bench measures what the guard costs, always as a ratio: the guarded job
// beside the same job without it, or beside what one would use instead, in turns on
// the same server in the same run. It holds benchmarks only.
//
// Hard rule: the servers wait for their disk at each commit, and everything that the
// guard offers is switched on: reference, fingerprint, time limits and, where the effect
// is outside, the stored message.
package bench
