package doctor

var celeryEntries = []Entry{
	{
		"celery.task", Loses, false, "(only as not checked) the task is not registered", "Its own settings are not known; a worker that does not know it either drops the message.", "Name the task's own name as `message` in the job file, and the module that imports it.",
	},
	{
		"celery.acks_early", Loses, false, "acks_late is off", "The message is acknowledged before the task runs: whatever kills the worker loses it.", "acks_late=True.",
	},
	{
		"celery.worker_lost", Loses, false, "reject_on_worker_lost is off", "A child process that is killed alone, such as by the kernel when memory is short, has its message acknowledged in spite of acks_late.", "reject_on_worker_lost=True: the guard makes the second delivery safe.",
	},
	{
		"celery.limit_kills", Loses, false, "a hard time limit without a soft one before it", "It kills the child and acknowledges: the claim stays without a message, and only the sweep finds it.", "A soft_time_limit below time_limit; or acks_on_failure_or_timeout=False, and the message comes again.",
	},
	{
		"celery.limit_short", Blocks, false, "a time limit is not longer than longest_run", "Normal runs are ended in the middle, each in doubt.", "Time limits longer than longest_run, and shorter than the lease.",
	},
	{
		"celery.limit_long", Repeats, false, "a time limit is not shorter than the lease", "A worker that hangs still acts when another one has taken over.", "soft_time_limit and time_limit shorter than the lease.",
	},
	{
		"celery.no_limit", Note, false, "no time limit", "A body that hangs, and does not ask op.check() before it acts, acts after its lease.", "soft_time_limit and time_limit between longest_run and the lease.",
	},
	{
		"celery.visibility", Repeats, false, "visibility_timeout is shorter than the lease", "The message is handed out again while its worker may still be at work, and once more after each; only the guard stops it.", "broker_transport_options visibility_timeout longer than the lease and the longest countdown.",
	},
	{
		"celery.prefetch", Repeats, false, "fetched messages wait for longer than the broker does", "With worker_prefetch_multiplier messages waiting behind a running one, each up to longest_run, the last is handed out again before it has begun.", "worker_prefetch_multiplier = 1.",
	},
	{
		"celery.expires", Loses, false, "the task expires", "Celery discards a redelivery that has expired, also when the first one died in the middle.", "No expires for what must be done.",
	},
	{
		"celery.transient", Loses, false, "messages are transient", "A restart of the broker loses them even from a durable queue.", "task_default_delivery_mode = \"persistent\", which is the default.",
	},
	{
		"celery.no_confirms", Loses, false, "publishing is not confirmed", "RabbitMQ takes a message and may lose it before it is stored; nobody is told. A copy that the guard puts back is lost so, too.", "broker_transport_options = {\"confirm_publish\": True}.",
	},
	{
		"celery.publish_retry", Loses, false, "publishing is not retried", "A retry that cannot be sent at once is dropped.", "task_publish_retry = True, which is the default.",
	},
	{
		"celery.connection_retry", Blocks, false, "a worker does not connect again", "When the connection to the broker is lost the worker ends.", "broker_connection_retry = True, which is the default.",
	},
	{
		"celery.cancel", Note, false, "running tasks are cancelled when the connection is lost", "Each hiccup of the broker ends acts in the middle, in doubt, and leaves them to the policy.", "worker_cancel_long_running_tasks_on_connection_loss = False; the guard stops the second delivery.",
	},
	{
		"celery.eager", Note, false, "tasks run where they are called", "task_always_eager is for tests: there is no queue, so no redelivery.", "task_always_eager = False outside tests.",
	},
	{
		"celery.solo", Note, false, "the pool is solo", "It acknowledges last even without acks_late; what was seen with it proves nothing about prefork.", "The pool that you run in production.",
	},
	{
		"celery.deduplicate", Note, false, "worker_deduplicate_successful_tasks is on", "It knows results, not effects: no help after a crash, and a look-up of the result backend for each redelivery.", "Leave it off.",
	},
}

var sidekiqEntries = []Entry{
	{
		"sidekiq.worker", Loses, false, "(only as not checked) the worker class is not there", "Its own settings are not known; a process that does not know it either sends the job through all its retries.", "Name the class as `message` in the job file, and the file that requires it.",
	},
	{
		"sidekiq.fetch", Loses, false, "jobs are fetched by the basic fetch", "It takes the job out of Redis before it runs: a process that is killed loses it. After the claim the sweep puts it back; before, nobody does.", "super_fetch (Sidekiq Pro), or another fetch that keeps the job until it is done.",
	},
	{
		"sidekiq.timeout", Repeats, false, "the shutdown timeout is shorter than longest_run", "At each deploy, jobs that run longer are ended in the middle, put back and run again.", "timeout in sidekiq.yml above longest_run, and what stops the process (systemd, Kubernetes) longer still.",
	},
	{
		"sidekiq.no_retry", Loses, false, "the job is not retried", "An exception, also one of a database that cannot be reached, is the end of it.", "retry: true, or a number.",
	},
	{
		"sidekiq.no_dead_set", Loses, false, "a job that has used up its retries is discarded", "With dead: false nobody finds it in the dead set; what it was is known only from the log.", "Take dead: false away.",
	},
	{
		"sidekiq.queue", Blocks, false, "the job's queue is not worked on", "sidekiq.yml does not list it, so its jobs wait.", "Add it to queues in sidekiq.yml, if no other process works on it.",
	},
	{
		"sidekiq.unique", Note, false, "a uniqueness lock is on the job", "A lock is no record: it expires, and what is pushed meanwhile is dropped without a word, also when the first one died.", "Leave the guarding to the record; keep the lock, if at all, to save work.",
	},
	{
		"sidekiq.config", Loses, false, "(only as not checked) sidekiq.yml cannot be read", "Its timeout and queues are not known.", "Look at timeout and queues by hand.",
	},
}

var jobEntries = []Entry{
	{
		"job.lease", Repeats, false, "the lease is hardly longer than longest_run", "A run a little slower than normal outlives its claim, and the next delivery takes over beside it.", "A lease of at least one and a half times longest_run.",
	},
	{
		"job.key_volatile", Repeats, false, "the operation key names what changes with each message", "The same business event that is enqueued twice has two keys, so nothing is recognised.", "Name what identifies the business operation: an order, a tenant and a due date.",
	},
	{
		"job.message_not_stored", Note, false, "the message is not stored", "When the queue loses a message the sweep can only hold its operation for a person.", "store_message: true, unless the message must not be in the database.",
	},
	{
		"job.retention", Note, false, "the retention is not agreed", "Nobody has written down how long a record has to be kept, and `twiceproof prune` needs to know.", "retention, longer than the longest time after which a delivery may come.",
	},
	{
		"job.retention_short", Repeats, false, "records are kept for less than a delivery may take", "A delivery that comes after its record was deleted is taken for a new operation.", "A longer retention; or shorter times in the queue.",
	},
}
