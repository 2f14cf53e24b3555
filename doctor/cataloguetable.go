package doctor

// tableEntries are about the live table.
var tableEntries = []Entry{
	{
		"table.missing", Blocks, true, "there is no such table",
		"Every delivery is refused before the act, so the job stands still; without the table nothing is guarded.",
		"Run the migration: `twiceproof schema` prints the table.",
	},
	{
		"table.kind", Repeats, true, "it is a view, a foreign table or the like",
		"What enforces the key is behind it and is not seen here; a view can hide a record that is there, and its operation would be done again.",
		"Name the table itself in the job file, and rename the view.",
	},
	{
		"table.column_missing", Blocks, false, "a column is missing",
		"The table is of an older version, or was made by hand: the guard's statements fail, and every delivery goes back to the queue until it is a dead letter.",
		"ALTER TABLE {table} ADD COLUMN, as `twiceproof schema` prints the column.",
	},
	{
		"table.column_type", Repeats, false, "a column has a type that is not wide enough, or another one",
		"A value can be cut, rounded or moved to another time zone on its way into the record: a lease that ends too early is taken over while its worker acts.",
		"ALTER TABLE {table}: give the column the type that `twiceproof schema` prints.",
	},
	{
		"table.column_nullable", Blocks, false, "a column that is never empty may be NULL",
		"A record that somebody wrote by hand without it (a backfill) can no longer be judged: each delivery of its operation fails.",
		"Fill it where it is NULL, then make it NOT NULL.",
	},
	{
		"table.column_default", Repeats, false, "a column has no default, or another one",
		"The claim leaves the column to its default. Without one every claim is refused; with acts at 0 instead of 1 a worker that died counts as one that never acted, and its effect is repeated whatever the policy says.",
		"ALTER TABLE {table} ALTER COLUMN … SET DEFAULT, as `twiceproof schema` prints it.",
	},
	{
		"table.extra_column", Blocks, false, "an added column wants a value",
		"No statement of the guard fills it, so every claim is refused.",
		"Give it a default, or let it be NULL.",
	},
	{
		"table.check_missing", Note, false, "a CHECK of the table is missing",
		"A statement written by hand, such as a backfill, can leave a record in a state that none of the guard's would, and nobody notices.",
		"Add the CHECK that `twiceproof schema` prints.",
	},
	{
		"table.trigger", Repeats, true, "a trigger or rule acts upon it",
		"It can skip or change the guard's write: a claim that is not there afterwards is made again by the next delivery.",
		"Drop it, or keep it off this table.",
	},
	{
		"table.row_security", Blocks, false, "row security applies to this account",
		"A record that the account does not see cannot be claimed and cannot be read: its operation is never done.",
		"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY, or let the workers own the table.",
	},
	{
		"table.inherited", Repeats, true, "it has child tables",
		"A unique key does not reach into child tables: a record in one of them is claimed again.",
		"Move the records into one table, and end the inheritance.",
	},
	{
		"table.partitioned", Note, false, "it is partitioned",
		"That holds as long as the key of every partition is (job_type, operation_key) alone; a partition by time would let the same key in twice.",
		"Partition by hash of operation_key, or not at all.",
	},
	{
		"table.unlogged", Repeats, true, "it is unlogged or temporary",
		"After a crash of the server it is empty: every redelivery is done again.",
		"ALTER TABLE {table} SET LOGGED.",
	},
	{
		"table.engine", Repeats, true, "its storage engine is not InnoDB",
		"Others have no transactions or lose rows in a crash: claim and effect do not stand and fall together.",
		"ALTER TABLE {table} ENGINE = InnoDB.",
	},
	{
		"table.privileges", Blocks, false, "the account may not do what a worker has to",
		"The claim is refused, and the job stands still.",
		"GRANT SELECT, INSERT, UPDATE ON {table} to the workers' account; or examine it as that account (PostgreSQL: --role).",
	},
	{
		"table.extra_index", Note, false, "a further index names a column that completion changes",
		"Each completion then rewrites the indexes, and the table grows with every operation.",
		"Drop the index; an index on claimed_at costs less.",
	},
	{
		"records.held_unattended", Blocks, false, "operations have been held for more than a week",
		"A held operation waits for a person; if nobody looks, its effect is missing for ever, or nobody knows that it is there twice.",
		"`twiceproof held` shows what to decide, `twiceproof resolve` writes the decision; let somebody be told by `twiceproof status`, which ends with 1.",
	},
}

// keyEntries are about what enforces the guard.
var keyEntries = []Entry{
	{
		"key.missing", Repeats, true, "no unique key on job_type and operation_key",
		"Nothing enforces that one operation is claimed once.",
		"ALTER TABLE {table} ADD PRIMARY KEY (job_type, operation_key).",
	},
	{
		"key.wider", Repeats, true, "the unique key has further columns",
		"The same operation fits in twice, once for each value of the other column; NULL counts as another value each time.",
		"ALTER TABLE {table} ADD PRIMARY KEY (job_type, operation_key); put what is missing, such as a tenant, into the operation key in the job file.",
	},
	{
		"key.partial", Repeats, true, "the unique key covers a part of the rows only",
		"Outside its condition the same operation fits in twice.",
		"Make it without WHERE.",
	},
	{
		"key.expression", Repeats, true, "the unique key is over an expression or a part of a column",
		"It takes different keys for one, so that the second operation is never done, or is not used by the claim at all.",
		"ALTER TABLE {table} ADD PRIMARY KEY (job_type, operation_key), over the columns as they are.",
	},
	{
		"key.deferrable", Repeats, true, "the unique key is deferrable",
		"It is looked at when a transaction ends, not when the claim is made; the claim is refused.",
		"Make it NOT DEFERRABLE.",
	},
	{
		"key.invalid", Repeats, true, "the unique index is invalid",
		"A CREATE INDEX CONCURRENTLY that failed, mostly since there were duplicates already: it enforces nothing.",
		"Look for the duplicates, DROP INDEX, and make it again.",
	},
	{
		"key.second", Blocks, false, "there is another unique key",
		"A claim that meets another operation's record by it is refused, and in MySQL would be answered with that record, so the guard does not work there at all.",
		"Drop the other key.",
	},
	{
		"key.nullable", Repeats, true, "a column of the key may be NULL",
		"A unique key lets any number of rows with NULL in: a record without a key is claimed again each time.",
		"ALTER TABLE {table}: make the column NOT NULL.",
	},
	{
		"key.type", Repeats, true, "a column of the key has another type",
		"It can cut, pad or convert a key (or fold its case, as citext does): two operations become one, or one becomes two.",
		"Give it the type that `twiceproof schema` prints, after a look for keys that would become equal.",
	},
	{
		"key.collation", Loses, true, "the key's collation takes different keys for one",
		"Order-1 and order-1, or a trailing space: the second operation counts as done and never runs, silently.",
		"PostgreSQL: COLLATE \"C\". MySQL: VARBINARY, as `twiceproof schema` prints it. SQLite: COLLATE BINARY.",
	},
	{
		"key.locale", Repeats, false, "the key is sorted by a language's rules",
		"These rules change with the operating system or ICU: after an upgrade, or on a standby with another version, the index misses rows that are there, and the same key fits in twice.",
		"ALTER TABLE {table} ALTER COLUMN … TYPE text COLLATE \"C\".",
	},
}
