package judge

// The cases, and the point of one, that are judged in a way of their own.
const (
	EveryStep     = "every_step"     // its places are found by recording a run
	TwoOperations = "two_operations" // whose keys are nearly the same
	ClocksApart   = "clocks_apart"   // the database's from the worker's
)

// The peers of a worker, as its steps name them.
const (
	PeerOutside  = "outside"
	PeerDatabase = "database"
)
