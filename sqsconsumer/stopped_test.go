package sqsconsumer

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// A worker is stopped in the middle of its call, after the effect, for longer than
// its lease. Another follows the policy; then the first wakes up and finishes. It
// changes nothing that was decided without it, and the record says that it came.
// The control wakes up before anybody took over.
func TestStoppedWorkerWakesUp(t *testing.T) {
	for name, c := range map[string]struct {
		job    job.Job // of the one that takes over; none in the control
		record string
		more   int // effects beside the first one's
		lost   bool
	}{
		"in time":          {},
		"lookup":           {lookupJob(), "completed", 0, true},
		"accept duplicate": {policyJob(job.AcceptDuplicate), "completed", 1, true},
		"accept miss":      {policyJob(job.AcceptMiss), "completed", 0, false}, // its own token is kept
		"hold":             {holdJob(), "held", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, o := newRig(t, 0), newOutside(t)
			id := r.send("1")
			cmd, stderr := r.process(o, 1, time.Minute)
			take(r, o.charged)
			r.signal(cmd.Process.Pid, syscall.SIGSTOP)
			if c.record != "" {
				r.till.charges[job.Reference("charge_order", "1")] = 1 // what a look-up shows
				r.age(lease + settle)
				r.Advance(beyondLease)
				stop := r.start(r.consumer(c.job))
				r.untilKinds(lab.Deleted, 1)
				stop()
				r.wantRecord("1", c.record)
				r.wantCharges("1", 1+c.more)
			}
			r.signal(cmd.Process.Pid, syscall.SIGCONT)
			o.answer <- http.StatusOK
			r.until("its delete", func(s lab.Snapshot) bool {
				return count(s.Events, lab.Deleted, id)+count(s.Events, lab.DeleteRepeated, id) >= 1+min(1, len(c.record))
			})
			r.terminate(cmd)
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, stderr)
			}
			r.wantRecord("1", "completed")
			if got := strings.Contains(stderr.String(), "lost claim"); got != c.lost {
				t.Errorf("lost claim: %t\n%s", got, stderr)
			}
			var late int
			if err := r.db.QueryRowContext(r.ctx, "SELECT count(late_finish_at) FROM idempotency_records").Scan(&late); err != nil {
				t.Fatal(err)
			}
			if (late == 1) != c.lost {
				t.Errorf("%d late finishes on record", late)
			}
			if len(o.charged) != 0 {
				t.Error("it called again")
			}
		})
	}
}

func (r *rig) signal(pid int, s syscall.Signal) {
	r.t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		r.t.Fatal(fmt.Errorf("%s: %w", s, err))
	}
}
