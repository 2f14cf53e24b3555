// Package celery is Celery as a replay sees it: a broker of the lab, Redis, RabbitMQ or SQS,
// and a proxy in front of it for each worker.
//
// Hard rule: what a worker did is told by what crossed the wire, or by the log of the SQS
// endpoint in this process, never by its own log or by a time that was waited.
//
// # The end of a delivery
//
// With acks_late it is the acknowledgement. Without, the broker forgets the message before
// the work begins, and the end is a task event, such as task-succeeded: the replay tells
// every worker to send them (enable_events), as -E does. Where no event comes the end
// cannot be seen, and the history says so (end_unseen). The workers also say by a remote
// command (registered) which of their tasks are acknowledged late. The solo pool acknowledges late
// whatever the setting is, and stands for no other one.
//
// On SQS there are neither events nor remote commands, so the acknowledgement is taken for the
// end. Where a worker speaks to others after it, with nothing in hand, it was none (end_unseen).
// A task that fails is deleted there, and nothing tells of it.
//
// # A worker that is busy
//
// It goes on asking while it works, unless its prefetch is used up. So it is idle when it
// asks and has nothing in hand. Celery 5.2, when its prefetch is used up, looks whether it may
// ask before it acknowledges, and sleeps up to a second: on Redis a command for nobody wakes it.
//
// # Put back
//
// A task that is put back or retried is a new message with the same id and a time (eta). A
// worker takes it at once and keeps it in memory until then, by the machine's clock. When
// the queue's clock is moved past that time, the replay puts a copy without the time on,
// as though it had come: visibility_over, since it is what would happen by itself. The one
// in memory is forgotten; where the case lasts so long that its time comes after all, it
// is told as redelivered, by force. What comes within 2.5 seconds is waited for instead.
//
// # A worker that dies
//
//   - Redis keeps what was taken and not acknowledged in "unacked", for visibility_timeout,
//     which is a setting of the workers: they ask by it for what is overdue when they
//     start, so it is seen. When the queue's clock is moved past that, the replay does what
//     those workers would do. A message that was taken and is not in "unacked" yet is lost,
//     and so is one that was acknowledged before the work.
//   - RabbitMQ gives back what was not acknowledged as soon as the connection ends.
//   - SQS delivers it again when the queue's own visibility timeout is over, by itself. The copy
//     that waits in a live worker's memory is taken out when another one takes its place.
//
// Stored reads the task that the guard in Python keeps in its record, and Task has the forms
// in which each broker takes it: the sweep puts it on again by them.
package celery
