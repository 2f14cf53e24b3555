package doctor

var sqsEntries = []Entry{
	{
		"sqs.visibility", Repeats, false, "the visibility timeout is shorter than longest_run",
		"The message is handed out again while its worker is at work. sqsconsumer asks for a time of its own and renews it; any other consumer, or one that may not renew, uses up a receive with each, until the message is a dead letter.",
		"A visibility timeout longer than longest_run, best as long as the lease.",
	},
	{
		"sqs.max_receive", Loses, false, "maxReceiveCount is used up before the policy has come to its end",
		"Each worker that dies costs a receive, and so does each delivery that meets the dead one's claim and is put back: the message becomes a dead letter while the record is still claimed.",
		"A higher maxReceiveCount in the RedrivePolicy, or fewer max_takeovers and max_lookups in the job file.",
	},
	{
		"sqs.retention", Loses, false, "a message is kept for less than the policy may take", "The message is gone before the last takeover; only the sweep finds the claim.", "A longer MessageRetentionPeriod, such as 14 days.",
	},
	{
		"sqs.dead_letter_retention", Loses, false, "dead letters are kept no longer than messages", "A message's age counts from when it was first sent, so it is deleted from the dead-letter queue before anybody has looked.", "A MessageRetentionPeriod of the dead-letter queue longer than the queue's own, such as 14 days.",
	},
	{
		"sqs.content_dedup", Loses, false, "content-based deduplication, and the key is in the attributes", "It compares the body alone: two operations with the same body within five minutes are one message, and the second is never done.", "Send a MessageDeduplicationId made of the operation key, or put the key into the body.",
	},
}

var redisEntries = []Entry{
	{
		"redis.eviction", Loses, false, "keys without a time to live may be evicted", "When the memory is full Redis throws queues away.", "maxmemory-policy noeviction.",
	},
	{
		"redis.no_persistence", Loses, false, "nothing is written to the disk", "A restart of Redis empties every queue, and what was being worked on.", "appendonly yes.",
	},
	{
		"redis.snapshots", Loses, false, "only snapshots are written", "What was queued since the last snapshot, minutes ago, is gone after a crash; what was done since comes again.", "appendonly yes.",
	},
	{
		"redis.appendfsync", Loses, false, "appendfsync is no", "What was queued in the last half minute is gone after a crash of the machine.", "appendfsync everysec (a second may be lost) or always.",
	},
	{
		"redis.replica", Blocks, false, "this server is a replica", "It takes no writes, so no worker can take a job.", "Name the primary, by Sentinel where there is one.",
	},
	{
		"redis.failover", Loses, false, "a write does not wait for any replica", "A failover loses what had not arrived there: messages, and acknowledgements, whose messages come again.", "min-replicas-to-write 1. Or know it (--accept redis.failover): what comes again the guard stops, what is lost it never sees.",
	},
	{
		"redis.unacked", Note, false, "deliveries of Celery are older than the visibility timeout", "Their workers are gone or run too long. Redis is asked for them only when a worker starts and every 100 seconds or so, so they come again late.", "Look whether the workers run; restart one.",
	},
}

var rabbitEntries = []Entry{
	{
		"rabbitmq.not_durable", Loses, false, "the queue is not durable", "A restart of the broker deletes it with all its messages.", "Delete and declare it with durable = true (Celery: task_queues with durable=True, which is the default).",
	},
	{
		"rabbitmq.auto_delete", Loses, false, "the queue deletes itself", "When the last worker goes, at a deploy, its messages go too.", "Delete and declare it with auto_delete = false.",
	},
	{
		"rabbitmq.expires", Loses, false, "the queue expires", "When no worker was there for so long it is deleted with its messages.", "Declare it without x-expires; take `expires` out of the policy.",
	},
	{
		"rabbitmq.message_ttl", Loses, false, "messages expire", "A message that waits or comes again after a crash is dropped before the guard sees it.", "Declare it without x-message-ttl; take `message-ttl` out of the policy.",
	},
	{
		"rabbitmq.max_length", Loses, false, "the queue's length is limited", "When it is full the oldest messages are dropped, or new ones refused.", "Declare it without x-max-length(-bytes); or x-overflow reject-publish with publisher confirms.",
	},
	{
		"rabbitmq.delivery_limit", Loses, false, "the delivery limit is used up before the policy has come to its end", "Each worker that dies costs a delivery: the message is dropped, or is a dead letter, while the record is still claimed.", "A higher x-delivery-limit (policy: delivery-limit).",
	},
	{
		"rabbitmq.policy", Loses, false, "(only as not checked) a policy can change the queue", "A policy of the broker can make messages or the queue expire, limit its length, or shorten its wait for an acknowledgement. AMQP does not tell of it.", "--rabbitmq-api; or `rabbitmqctl list_policies`, and look for expires, message-ttl, max-length, delivery-limit and consumer-timeout.",
	},
	{
		"rabbitmq.consumer_timeout", Repeats, false, "longest_run is not shorter than the broker's wait for an acknowledgement", "After consumer_timeout, 30 minutes by default, the broker closes the channel, and all its messages come again while they are worked on.", "consumer_timeout above longest_run (of the server, of a policy, or as the queue's x-consumer-timeout), or a shorter job.",
	},
}
