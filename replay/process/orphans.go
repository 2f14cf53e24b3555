package process

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// adopting is set when this process becomes the parent of all below it whose own
// parent has ended. Without it a daemon of a worker is lost among those of the machine.
var adopting atomic.Bool

// AdoptOrphans lets replays find and end what a worker leaves behind, also a daemon
// (where the system can do that: Linux). It is for a program that starts nothing but
// replays: at the end of a case every child that was not there at its beginning is
// taken for the worker's.
func AdoptOrphans() { adopting.Store(becomeSubreaper()) }

// Adopts tells whether it does.
func Adopts() bool { return adopting.Load() }

// A process that nothing ends, as one of another account, is not waited for any longer.
const orphanLimit = 5 * time.Second

// EndOrphans ends every child of this process that was not there before and that it has
// not started itself, those that thereby become its children as well, and tells their
// names. With a folder only those that have it for their temporary files.
func EndOrphans(before map[int]string, folder string) []string {
	names := map[string]bool{}
	for end := time.Now().Add(orphanLimit); ; time.Sleep(time.Millisecond) {
		left := orphans(before, folder)
		if len(left) == 0 || time.Now().After(end) { // one that has just ended may have left its children to this process
			return slices.Sorted(maps.Keys(names))
		}
		for pid := range left {
			if ended, _ := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); ended == pid {
				delete(left, pid)
				continue
			}
			_ = syscall.Kill(pid, syscall.SIGSTOP) // all of them, so that none starts another one meanwhile
		}
		for pid := range left {
			names[nameOf(pid)] = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// orphans are the children that are not waited for by whoever started them. Nobody
// starts one meanwhile, or it would be taken for an orphan.
func orphans(before map[int]string, folder string) map[int]string {
	leaders.Lock()
	defer leaders.Unlock()
	left := Children()
	maps.DeleteFunc(left, func(pid int, started string) bool {
		return before[pid] == started || leaders.numbers[pid] || leaders.keeper.is(pid) || folder != "" && !writesInto(pid, folder)
	})
	return left
}

// writesInto tells whether a process was given the folder for its temporary files, as
// every worker of a case is and whatever it starts.
func writesInto(pid int, folder string) bool {
	environ, _ := os.ReadFile(procFile(pid, "environ")) // of one that has ended it is empty
	return slices.Contains(strings.Split(string(environ), "\x00"), "TMPDIR="+folder)
}

// Children are this process's, also those that have ended and were not waited for:
// when each started, by its number.
func Children() map[int]string {
	found := map[int]string{}
	if !adopting.Load() {
		return found
	}
	self := os.Getpid()
	for pid, s := range allProcesses() {
		if s.parent == self {
			found[pid] = s.started
		}
	}
	return found
}

// nameOf is the program's name, without its arguments: they may be secrets.
func nameOf(pid int) string {
	name, _ := os.ReadFile(procFile(pid, "comm"))
	return strings.TrimSpace(string(name))
}
