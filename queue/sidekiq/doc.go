// Package sidekiq is Sidekiq as a replay sees it: a Redis of the lab, and a proxy in front
// of it for each worker.
//
// Hard rule: what a worker did is told by what crossed the wire, never by its log.
//
// Sidekiq has no acknowledgement. BRPOP hands a job over and takes it off the list in one,
// so what its worker has in hand is nowhere else, and a success writes nothing. What stands
// for it here:
//
//   - A delivery ends when the worker's threads all ask for jobs again, or when a worker
//     that was told to stop has given back what it could not finish and leaves the set
//     "processes".
//   - A put back is a ZADD to "schedule" or "retry"; giving back, as a worker does that
//     stops, an RPUSH. A job in "dead" is a dead letter.
//   - A job that dies with its worker is lost. The replay puts the same JSON on again, by
//     force, and its history says both.
//
// A reliable fetch, which moves the job to a list of the worker's own, is not followed: its
// worker is never seen to ask for jobs.
//
// When time passes, what is due in "schedule" and "retry" is put on its queue at once, as
// Sidekiq's own poller does within some seconds.
package sidekiq
