package fit

import "slices"

// Questions are all of them, in the order in which they are asked.
func Questions() []Question {
	return slices.Concat(scopeQuestions(), placeQuestions(), stagingQuestions(), operationQuestions(), effectQuestions(), outsideQuestions())
}

// scopeQuestions are about what is wanted at all.
func scopeQuestions() []Question {
	return []Question{
		{
			ID: "wanted", Text: "What do you want?",
			Why: "The change makes one job safe to run twice. It does not mend what is there already, and it leaves the queue alone.",
			Options: []Option{
				{Value: "stop_repeats", Text: "the job must not repeat its side effect any more"},
				{
					Value: "stop_and_clean_up", Text: "that, and the duplicates that exist cleaned up",
					Note: "The duplicates that exist are not part of it: `twiceproof repeats` lists them, and what to do about each is for you to decide.",
				},
				{
					Value: "clean_up", Text: "only the duplicates that exist cleaned up", Ends: true,
					Stop: "Cleaning up duplicates that exist is not what this does: it depends on what each of them caused.",
					Mend: "List them with `twiceproof repeats`, and reconcile them as a piece of work of its own. Come back to stop new ones.",
				},
				{
					Value: "change_queue", Text: "another queue system, broker or hosting", Ends: true,
					Stop: "A change of the infrastructure is not what this does, and no queue makes it needless: they all deliver at least once.",
					Mend: "Decide about the queue on its own. The job can be made safe on the one it has, and the record goes with it when it moves.",
				},
			},
		},
		{
			ID: "jobs", Text: "How many job types are meant?",
			Why: "Each job type has its own operation, lease and policy, and its own proof.",
			Options: []Option{
				{Value: "one", Text: "one"},
				{
					Value: "several", Text: "several", Ends: true,
					Stop: "It is one job type at a time: what is a repeat in one is none in another.",
					Mend: "Take the one whose repeats hurt most, and answer for it alone. Then run this again for the next; they share the table.",
				},
			},
		},
		{
			ID: "service", Text: "Is the job one of these?",
			Why: "Some jobs have traps of their own, which a replay of a queue job does not look for.",
			Options: []Option{
				{Value: "neither", Text: "neither"},
				{
					Value: "invoices", Text: "it creates invoices in Xero or QuickBooks Online", Ends: true,
					Stop: "Creating invoices in Xero or QuickBooks Online has a service of its own, with its own tests.",
					Mend: "Ask for that one: it knows what these two accept as a reference, and how to look an invoice up.",
				},
				{
					Value: "webhooks", Text: "it receives signed webhooks", Ends: true,
					Stop: "Receiving signed webhooks has a service of its own, with its own tests: signature, replay window and order come first there.",
					Mend: "Ask for that one. A queue job that a webhook puts on the queue afterwards fits here: answer for it.",
				},
			},
		},
	}
}

// placeQuestions are about where the job lives.
func placeQuestions() []Question {
	return []Question{
		{
			ID: "queue", Text: "Which queue system does the job run on?",
			Why: "How a message comes again, and what can be seen of it, differs with each.",
			Options: []Option{
				{Value: "sidekiq", Text: "Sidekiq"},
				{Value: "celery", Text: "Celery"},
				{Value: "sqs", Text: "an Amazon SQS consumer"},
				{
					Value: "rq", Text: "RQ",
					Stop: "The guard's Python package has no RQ layer: nothing is written for the job, and its settings are not checked.",
					Mend: "The replay can drive it (`queue: rq` in the job file), and the plain guard can be called within the job; both by hand.",
				},
				{
					Value: "other", Text: "another one",
					Stop: "The job runs on none of Sidekiq, Celery, RQ and Amazon SQS, and the replay can drive no other queue.",
					Mend: "Nothing here proves it there. The record and its statements (`twiceproof schema`) are plain SQL, if you want to build on them yourself.",
				},
			},
		},
		{ID: "job", Optional: true, Text: "What shall the job be called?", Why: "A name of its own, such as charge.create, and not the class: it is written into every record.", check: checkName},
		{ID: "message", Optional: true, Text: "What is the task, worker class or queue called in the code?", Why: "For people, to find it."},
		{
			ID: "repository", Text: "Is the job's code in a repository in which a change can be proposed?",
			Why: "The change is a pull request: a migration, a few lines around the job, the job file and the replay.",
			Options: []Option{
				{Value: "yes", Text: "yes"},
				{
					Value: "no", Text: "no",
					Stop: "The job's code cannot be changed, and only the job itself can claim before it acts.",
					Mend: "Get access to a repository that holds the job, or ask whoever maintains it.",
				},
			},
		},
		{
			ID: "database", Text: "Which database does the application have?",
			Why: "A unique key in the database is what enforces once. A lock, a cache or the queue's own deduplication does not.",
			Options: []Option{
				{Value: "postgres", Text: "PostgreSQL"},
				{Value: "mysql", Text: "MySQL or MariaDB"},
				{Value: "sqlite", Text: "SQLite", Note: "SQLite must lie on a disk of the machine itself: on a network file system its locks do not hold, and nothing is promised."},
				{
					Value: "other", Text: "another relational database",
					Stop: "The guard knows PostgreSQL, MySQL, MariaDB and SQLite, and has been proved on no other database.",
					Mend: "If the application also has one of these, the record can live there for an effect that is an outside call. Answer again for that one.",
				},
				{
					Value: "none", Text: "none that is relational",
					Stop: "There is no relational database for the idempotency record, so nothing can enforce its unique key.",
					Mend: "Give the application a small one (a managed PostgreSQL is enough). A key in Redis or a lock is no replacement: it can expire, or be lost.",
				},
			},
		},
		{
			ID: "table", Text: "Can a table with a unique key be added to it?",
			Why:   "One table, of one row for each operation. `twiceproof schema` prints it.",
			asked: func(a Answers) bool { return slices.Contains([]string{"postgres", "mysql", "sqlite"}, a["database"]) },
			Options: []Option{
				{Value: "yes", Text: "yes"},
				{
					Value: "no", Text: "no",
					Stop: "Without a table of its own there is no record with a unique key, and nothing else tells one delivery from the next for certain.",
					Mend: "Ask whoever owns the database for one table and the right to insert into it and update it; show them `twiceproof schema`.",
				},
			},
		},
	}
}

// stagingQuestions are about where the proof can run.
func stagingQuestions() []Question {
	return []Question{
		{
			ID: "staging", Text: "Can the job run on staging, with a test queue and made-up data?",
			Why: "The replay delivers, kills and counts. It never does so in production, and it can start its own throw-away servers.",
			Options: []Option{
				{Value: "yes", Text: "yes, or on a developer's machine"},
				{
					Value: "no", Text: "no, only in production",
					Stop: "The job can run in production only, and a replay kills workers and writes to a database: it is never run against production data.",
					Mend: "Make the worker start from variables for its queue, its database and the outside address. Then it runs anywhere; servers are started by the replay.",
				},
			},
		},
		{
			ID: "outside_calls", Text: "Can it run there without calling the live outside service?",
			Why: "A replay makes the call again and again on purpose.",
			Options: []Option{
				{Value: "yes", Text: "yes: it calls nobody, or the address is a setting"},
				{
					Value: "test_system", Text: "it can call the service's own test system",
					Note: "The replay counts calls at a stand-in of its own, whose address it gives to the worker: make the address a setting. A test system cannot be cut off at the right moment.",
				},
				{
					Value: "no", Text: "no: every run calls the live service",
					Stop: "The job cannot be run on staging without live outside calls, so each try would have real effects.",
					Mend: "Make the service's address a setting that the worker reads from a variable. Often that is one line.",
				},
			},
		},
	}
}
