package main

const sweepHelp = `Walk through a job's records once and handle each stale claim: one whose worker
vanished, or that was released or given up, and whose message may have been lost by the
queue.

Without --apply nothing is changed: what would be done is counted. With --apply each
gets what a delivery of its message would get. Under the policies hold and accept_miss,
and where a limit is reached, that is written into the record. Where a delivery would
take over, the stored message is put back on the queue, so that one comes. This happens
at most once in the job's lease for each operation, and max_takeovers times (5) in all;
then, or when no message is stored, or one that is not of its own record, the operation
is held. A claim that its holder released or gave up has a lease for its message to come
back by itself before that is put back, and nothing is held for the want of a message
before the claim has been stale for a lease.

It may be killed and run again at any time, and run twice at once. A backlog needs
several sweeps: what one has put back is waiting for the next ones until a worker has
handled it, and claims that were released or given up rest one more lease before their
messages are put back.

The folder (default: this one) holds twiceproof.yaml. The Amazon SQS client is set up
by the usual AWS variables and files. Sidekiq loses a job with the process that runs it,
so there the sweep is what brings it back: the stored job, with its jid. So it does for a
task of Celery without acks_late, with its id, chain and chord, on Redis, RabbitMQ or SQS.

Actions: put_back, hold, assume (accept_miss: taken as done). Reasons: worker_vanished,
unknown_outcome (its holder gave it up), released (surely not applied), and those of a
hold: max_takeovers, max_lookups, max_acts, max_requeues, reference_window, no_message,
other_message, mode_changed. "waiting" are stale claims whose message may still come
back by itself, "moved" those on which somebody else acted in the same moment.

With --json one object is printed: "schema" (` + sweepSchema + `: fields are only added),
"job", "policy", "applied", "complete" (false: the rest was not looked at), "put_back",
"held", "assumed", "failed", "waiting", "moved" (numbers), and "actions", a list in the
order of the keys: "action", "reason", "stale_ms" (since the claim became stale),
"age_ms" (since the operation was first claimed), "done", "error" if it failed, and
"key" with --show-keys.

Exit status: 0 nothing to do, or all of it done; 1 there is something to do (only
without --apply); 2 usage or environment; 3 it could not be told whether something was
done, or the sweep did not reach its end; 130 interrupted.`
