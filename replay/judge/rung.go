package judge

// Rung is how much of every_step is done: each is a longer ladder than the one before it.
type Rung string

// The rungs.
const (
	Durable Rung = "durable" // SIGKILL once in each outside state that the run comes through
	Step    Rung = "step"    // SIGKILL before and after every step
	Cut     Rung = "cut"     // the connection in place of the process
	Pause   Rung = "pause"   // SIGSTOP past the lease, while another worker goes on
	Pair    Rung = "pair"    // SIGKILL as in durable, and a second one in the redelivery
)

// Rungs are all of them, in order.
func Rungs() []Rung { return []Rung{Durable, Step, Cut, Pause, Pair} }
