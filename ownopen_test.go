package twiceproof

import (
	"database/sql/driver"
	"testing"
)

// A connection of the pool that the server has closed is no reason to fail: nothing
// was sent over it.
func TestOwnRowOverAStaleConnection(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.faults.cut("begin", 1, false, driver.ErrBadConn)
		r.wantOutcome(r.runTx(r.guard(ownRowJob()), "k"), Completed, true)
		if r.faults.count() != 1 {
			t.Error("the fault did not fire")
		}
		r.faults.set(func(verb string, _ int, _ bool) error {
			if verb == "begin" {
				return driver.ErrBadConn
			}
			return nil
		})
		res, err := r.guard(ownRowJob()).RunTx(t.Context(), delivery("none"), r.book)
		if err == nil || res.Acknowledge() || r.db.Stats().InUse != 0 {
			t.Errorf("%+v, %v, %d in use", res, err, r.db.Stats().InUse)
		}
		r.faults.set(nil)
		r.wantBooked("none", 0, 0)
	})
}
