// Package queue says what a replay needs of a queue system: how a message is put
// on, delivered, ended, delivered again and lost. One package below it knows one
// system: sqs, sidekiq, celery, rq.
//
// Hard rule: it tells what the queue did and judges nothing. Whether a message that is
// gone was lost is the replay's to say.
//
// Every system is told in the same words, those of Kind. Where a system has no such
// thing the package says what stands for it: Sidekiq's own fetch has no acknowledgement,
// so a delivery of it ends when its worker asks for the next message.
package queue
