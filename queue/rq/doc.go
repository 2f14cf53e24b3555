// Package rq is RQ as a replay sees it: a Redis of the lab, and a proxy in front of it for
// each worker.
//
// Hard rule: what a worker did is told by what crossed the wire, never by its log.
//
// A job is a hash, and a queue a list of ids: a copy is one id on it. The hash is one for all
// copies, as the last delivery has left it. Its data is written as RQ's default serializer does.
//
//   - A worker takes an id by BLMOVE to the intermediate list, or with several queues by BLPOP,
//     writes it into the started registry, and forks a work horse, which takes it off the
//     intermediate list and runs the job.
//   - A delivery ends with the transaction that takes it off the started registry. The same one
//     says what becomes of the job: finished, failed (a dead letter), or put back, at once or
//     through the scheduled registry, which has a job once, however many copies of it wait.
//   - When time passes, what is due in the scheduled registry is put on at once, as a scheduler
//     does every second. Where no worker has one (--with-scheduler) it would never be, and the
//     history says so (unscheduled). What is due within 2.5 seconds is waited for.
//
// # A worker that dies
//
// RQ looks for dead ones when a worker starts, and every ten minutes. A job that no heartbeat
// has told of for some 90 seconds is put on again where it has a retry left, else put among the
// failed ones (AbandonedJobError): the history says so (abandoned), and the replay puts it on
// again, by force. The replay does what that look would do as soon as the time has
// passed, so that no worker has to start for it; a worker's own look is followed all the same.
//
// What was taken and is in the intermediate list only, RQ gives back at the second look, so
// after twenty minutes at the most. A worker with several queues has nothing there: what dies
// between BLPOP and the start of the work horse is lost.
//
// When the work horse alone dies, its worker puts the job back or fails it, at once.
package rq
