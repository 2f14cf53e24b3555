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

// Label is the case and, where it has several, its point.
func Label(name, point string) string {
	if point == "" {
		return name
	}
	return name + "/" + point
}

// Label names the case whatever the version, in a report and for --only.
func (p Planned) Label() string { return Label(p.Case, p.Point) }

// Label is as Planned's.
func (r Result) Label() string { return Label(r.Case, r.Point) }

// Name names the case of one version, as --only takes it and a report says it.
func (p Planned) Name() string { return p.Version + "/" + p.Label() }

// Name is as Planned's.
func (r Result) Name() string { return r.Version + "/" + r.Label() }
