// Package sidekiq is Sidekiq as a replay sees it: a Redis of the lab, and a proxy in front
// of it for each worker.
//
// Hard rule: what a worker did is told by what crossed the wire, never by its log.
//
// Sidekiq's own fetch has no acknowledgement. BRPOP hands a job over and takes it off the
// list in one, so what its worker has in hand is nowhere else, and a success writes nothing.
// What stands for it here:
//
//   - A delivery ends when the worker's threads all ask for jobs again, or when a worker
//     that was told to stop has given back what it could not finish and leaves the set
//     "processes".
//   - A put back is a ZADD to "schedule" or "retry"; giving back, as a worker does that
//     stops, an RPUSH. A job in "dead" is a dead letter.
//   - A job that dies with its worker is lost. The replay puts the same JSON on again, by
//     force, and its history says both.
//
// When time passes, what is due in "schedule" and "retry" is put on its queue at once, as
// Sidekiq's own poller does within some seconds.
//
// # A reliable fetch
//
// gitlab-sidekiq-fetcher keeps what a worker has in hand in a list of the worker's own.
//
//   - A delivery ends with the LREM from that list. RPOPLPUSH is answered at once and asked
//     again every five seconds; between two of them an idle worker waits.
//   - A job outlives its worker, and comes again when another one looks for it: not before the
//     dead one's heartbeat is over (60 seconds), nor before the lock of who has looked last is
//     (an hour). When time has passed for both, the replay takes them away, and the worker that
//     starts next puts the job back by itself. One that is idle would look some minutes later
//     by its own clock; what it would do then is done at once.
//   - The half-reliable fetch pops first and writes its list then: what dies between is lost.
//
// Other fetches that keep a job, such as super_fetch of Sidekiq Pro, are not followed: the end
// of their deliveries is not seen.
package sidekiq
