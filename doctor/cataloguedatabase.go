package doctor

const acknowledgedLost = "A claim or completion that was acknowledged can be gone after a crash: the redelivery finds nothing and repeats the effect."

var postgresEntries = []Entry{
	{
		"postgres.fsync", Repeats, true, "fsync is off",
		acknowledgedLost + " The whole database can be broken.", "fsync = on.",
	},
	{
		"postgres.full_page_writes", Repeats, true, "full_page_writes is off",
		"A page that was half written in a crash stays torn: records can be lost or come back older.", "full_page_writes = on.",
	},
	{
		"postgres.synchronous_commit", Repeats, true, "synchronous_commit is off",
		acknowledgedLost, "synchronous_commit = on, at least for the workers: ALTER ROLE … SET synchronous_commit = on.",
	},
	{
		"postgres.local_commit", Repeats, true, "a commit does not wait for the synchronous standby",
		"There is a synchronous standby, but synchronous_commit is local: a failover loses the latest claims and completions.", "synchronous_commit = on for the workers.",
	},
	{
		"postgres.async_standby", Repeats, false, "the standbys are asynchronous",
		"A failover loses what had not arrived there yet: claims and completions of the last moments, whose effects are repeated.",
		"synchronous_standby_names for a standby that may take over. Or know it, and let a person look at the last minutes after a failover (--accept postgres.async_standby).",
	},
	{
		"postgres.encoding", Loses, true, "the database's encoding is not UTF8",
		"Some encodings write two characters as one (EUC_JP: U+00A6 and U+FFE4), so one operation's key finds another's record, and its effect is missing; other keys are refused.",
		"A database made with ENCODING 'UTF8'.",
	},
	{
		"postgres.standby", Blocks, false, "this server is a standby", "It takes no writes: nothing is acted, and the messages wait or become dead letters.", "Name the primary in the workers' address.",
	},
	{
		"postgres.read_only", Blocks, false, "transactions are read-only by default", "Every claim is refused.", "ALTER ROLE … SET default_transaction_read_only = off for the workers.",
	},
	{
		"postgres.statement_timeout", Note, false, "statement_timeout is below a second", "On a busy server a claim or completion is cut off; nothing is repeated, but operations are left to the policy.", "Give the workers' account more, such as 5s.",
	},
	{
		"pgbouncer.statement_mode", Blocks, false, "a pool in statement mode is in between", "It refuses transactions, so a job whose effect is an own row is never done.", "pool_mode = transaction, or session.",
	},
	{
		"pgbouncer.transaction_mode", Note, false, "a pool in transaction mode is in between",
		"It holds with drivers that prepare and execute in one round trip. lib/pq without binary_parameters and pgx's describe_exec can execute another worker's statement there.",
		"pgx: default_query_exec_mode=exec; lib/pq: binary_parameters=yes. docs/databases.md has all that ran.",
	},
}

var mysqlEntries = []Entry{
	{
		"mysql.flush_log", Repeats, true, "innodb_flush_log_at_trx_commit is not 1", acknowledgedLost, "innodb_flush_log_at_trx_commit = 1.",
	},
	{
		"mysql.sync_binlog", Repeats, true, "sync_binlog is not 1", "With the binary log on, what had not reached its file is rolled back after a crash of the machine: acknowledged claims are gone.", "sync_binlog = 1.",
	},
	{
		"mysql.doublewrite", Repeats, true, "innodb_doublewrite is off", "A page that was half written in a crash stays torn: records can be lost.", "innodb_doublewrite = ON.",
	},
	{
		"mysql.autocommit", Blocks, false, "autocommit is off for new connections", "A claim would not be committed before the act, so the guard refuses to work.", "SET GLOBAL autocommit = 1, and take it out of init_connect.",
	},
	{
		"mysql.isolation", Blocks, false, "the isolation level is READ UNCOMMITTED", "An own row that is rolled back would be taken for done, so the guard refuses to work.", "SET GLOBAL transaction_isolation (or tx_isolation) = 'READ-COMMITTED', or a higher level.",
	},
	{
		"mysql.read_only", Blocks, false, "the server, or every transaction, is read-only", "Every claim of an ordinary account is refused.", "Name the primary in the workers' address; SET GLOBAL read_only = 0 only if this is it.",
	},
	{
		"mysql.replica", Blocks, false, "this server is a replica", "A claim on a replica is not seen by workers on the primary, and breaks its replication.", "Name the primary in the workers' address.",
	},
	{
		"mysql.async_replica", Repeats, false, "the replicas are asynchronous", "A failover loses what had not arrived there yet: claims and completions of the last moments, whose effects are repeated.",
		"Semi-synchronous replication (rpl_semi_sync_…_enabled). Or know it, and let a person look at the last minutes after a failover (--accept mysql.async_replica).",
	},
	{
		"mysql.wait_timeout", Blocks, false, "idle connections are closed before longest_run is over", "The server closes the connection of an own row's transaction while the body computes or calls: it is rolled back each time.", "wait_timeout (MariaDB: also idle_transaction_timeout, idle_write_transaction_timeout) above longest_run.",
	},
	{
		"mysql.statement_time", Note, false, "statements are ended after less than a second", "On a busy server a claim or completion is cut off; nothing is repeated, but operations are left to the policy.", "A longer max_statement_time for the workers' account.",
	},
	{
		"mysql.not_strict", Note, false, "sql_mode is not strict", "The guard refuses a key that is too long by itself, but a backfill written by hand is cut without an error.", "sql_mode with STRICT_TRANS_TABLES, at least while a backfill runs.",
	},
}

var sqliteEntries = []Entry{
	{
		"sqlite.network", Repeats, true, "the file is on a file system that is shared between hosts",
		"Locks do not hold there, and in WAL mode hosts do not even see the same memory: a commit that was reported is overwritten by another host. Nothing is guarded.",
		"A local disk, with all workers on that host; or PostgreSQL or MySQL.",
	},
	{
		"sqlite.synchronous", Repeats, true, "the address turns synchronous down", "OFF loses acknowledged commits in a crash of the machine, and in WAL mode NORMAL does too.", "synchronous = FULL (2), which is the default.",
	},
	{
		"sqlite.journal_off", Repeats, true, "the address turns the journal off, or keeps it in memory", "A crash in the middle of a commit breaks the database, and with it the records.", "journal_mode = WAL or DELETE.",
	},
	{
		"sqlite.journal_mode", Note, false, "the database is not in WAL mode", "A long reader stands in the way of every claim.", "PRAGMA journal_mode = WAL, once.",
	},
	{
		"sqlite.busy_timeout", Note, false, "the address gives no time to wait for another writer", "A claim beside another one ends in an error and goes back to the queue; an own row's COMMIT too.", "busy_timeout of 5000.",
	},
}
