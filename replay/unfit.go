package replay

import (
	"fmt"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
)

// setting is what decides, before anything runs, whether a case fits.
type setting struct {
	job      job.Job
	database jobfile.DatabaseKind
	guarded  bool
	// unguardedVersion says that there is other code to run beside this version's.
	unguardedVersion bool
	backfill         bool
	enqueue          bool
	sweep            bool
	keyless          bool // a message without an operation key can be made
	spaceless        bool // the effect cannot name an operation with a space at its end
	failsUnseen      bool // nothing on the queue tells that a task has failed
}

func (s setting) ownRow() bool { return s.job.Effect.Kind == job.OwnRow }

// wireless says why nothing on the database's wire can be held or cut; empty where it can.
func (s setting) wireless() string {
	switch s.database {
	case jobfile.Postgres, jobfile.MySQL:
		return ""
	case jobfile.SQLite:
		return "SQLite has no wire"
	}
	return fmt.Sprintf("the replay does not speak the protocol of %s", s.database)
}

// noWire: the kill points of an own row are on the database's wire.
func noWire(s setting) string {
	if why := s.wireless(); s.ownRow() && why != "" {
		return why + ", so nothing can be stopped between the claim and the COMMIT of an own row"
	}
	return ""
}

// noClaimOrWire: an own row's claim cannot be seen before it is completed, and is
// gone with the transaction of a dead worker.
func noClaimOrWire(s setting) string {
	if s.ownRow() {
		return "an own row's record is born completed: there is never a claim to be young or old"
	}
	return noWire(s)
}

func noDatabaseWire(s setting) string {
	switch why := s.wireless(); {
	case why != "":
		return why + ", so no reply of it can be lost"
	case !s.guarded:
		return "code without our record has no claim or completion of ours whose reply could be lost"
	}
	return ""
}

func notOutside(s setting) string {
	if s.ownRow() {
		return "the effect is a row: no outside service is called"
	}
	return ""
}

func noLookUp(s setting) string {
	if s.job.Effect.Kind != job.Outside || s.job.Stale.Policy != job.Lookup || !s.guarded {
		return "only the policy lookup looks up"
	}
	return ""
}

func noOtherVersion(s setting) string {
	switch {
	case !s.guarded || !s.unguardedVersion:
		return "it needs a version with a guard and one without"
	case !s.backfill:
		return "the replay file names no backfill for what the old code has finished"
	}
	return ""
}

func noEnqueue(s setting) string {
	if !s.enqueue {
		return "the replay file names no command by which the application enqueues"
	}
	return ""
}

func noClaimWire(s setting) string {
	if s.ownRow() {
		return "an own row's claim is committed with its completion"
	}
	return noDatabaseWire(s)
}

// noTakeoverWire: two workers are brought to one claim on the database's wire.
func noTakeoverWire(s setting) string {
	switch why := s.wireless(); {
	case s.ownRow():
		return noClaimOrWire(s)
	case why != "":
		return why + ", so two workers cannot be brought to one takeover at once"
	}
	return noDatabaseWire(s)
}

func noCut(s setting) string {
	if s.database == jobfile.SQLite {
		return "SQLite is a file: there is no connection that could be refused"
	}
	return noDatabaseWire(s)
}

func noSweep(s setting) string {
	switch {
	case s.ownRow():
		return "nothing of an own row survives its rollback: what the queue loses is lost, and the queue's to mend"
	case !s.guarded:
		return "code without our record leaves nothing for a sweep to find: what the queue loses is lost"
	case !s.sweep:
		return "the replay file names no sweep command"
	}
	return ""
}
