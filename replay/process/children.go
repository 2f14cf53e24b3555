package process

import (
	"syscall"
	"time"
)

// KillChildren kills the processes that the worker's first one has started, and says how
// many there were. The first one stands still until they have ended: Celery's is woken by
// the end of a pipe, and when it looks before the system has the process as ended, it looks
// again five seconds later.
func (p *Process) KillChildren() (n int) {
	_ = syscall.Kill(p.Pid, syscall.SIGSTOP)   // ESRCH: it has ended
	defer syscall.Kill(p.Pid, syscall.SIGCONT) //nolint:errcheck // likewise
	killed := map[int]string{}
	for pid, s := range processes() {
		if s.parent == p.Pid && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed[pid] = s.started
		}
	}
	for end := time.Now().Add(orphanLimit); anyRuns(killed) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	return len(killed)
}

// SignalAll sends a signal to the group, and to what the processes of the group have started
// that has left it: RQ's work horse.
func (p *Process) SignalAll(s syscall.Signal) {
	p.Signal(s)
	t := tree{group: p.Pid}
	for pid, other := range t.descendants(processes()) {
		if other.group != p.Pid {
			_ = syscall.Kill(pid, s) // ESRCH: it has ended
		}
	}
}

func anyRuns(started map[int]string) bool {
	for pid, s := range processes() {
		if started[pid] == s.started {
			return true
		}
	}
	return false
}
