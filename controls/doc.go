// Package controls holds workers that are wrong on purpose. The replay must catch
// each in the cases that its file names, with the kind it names, and nowhere else;
// its right twin passes every case.
//
// Hard rule: a control differs from its twin in one hunk. The twin is the worker of
// examples/sqs-charge/new, that of another example, or that of foreign/, foreign_celery/
// or foreign_sidekiq/, which keep no record of ours. A worker in Go
// is built with an overlay of the one file that is changed, and nothing is copied. One
// in Ruby or Python runs its source, which no overlay reaches: examples/, ruby/lib and
// python/src are copied as they are into a throw-away folder, where the one file is
// changed and the replay is run. That the worker reads this file, and not the one in
// the tree, is tested each time: with something unreadable in its place it says so.
//
// A control is a text file, <name>.txt:
//
//	# What is wrong, and why people write it.
//	case: young_claim, old_claim       the cases that catch it, the telling one first, each
//	                                   with its point if it has one; may be repeated
//	kind: lost                         of the violation in each of them
//	also: sequential stuck, …          a case that fails in another way, and why
//	may: concurrent stuck, …           a case that fails so or is ok, as the timing falls
//	policy: hold                       when it is not the job file's
//	worker: foreign                    the twin's folder, when it is not ../examples/sqs-charge
//	database: postgres                 when it is not the replay file's
//	file: sqsconsumer/handle.go        the file that is changed, one that the worker reads
//	both: dialect/sqlite/claim.sql     a file that is changed in the twin too
//	waits: late_finisher, …            no case shows the fault yet; what would
//	rung: pair                         of every_step, when it is not durable
//	patience: 5s                       with a worker that is busy for ever by design
//	-- both old --, -- both new --     the change that the twin gets too
//	-- old --, -- new --               the hunk; the old text stands once in the file
package controls
