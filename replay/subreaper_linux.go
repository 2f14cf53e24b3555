package replay

import "syscall"

// What a forked worker asks the system for, by the numbers of this machine.
const (
	callPrctl = syscall.SYS_PRCTL
	callDup3  = syscall.SYS_DUP3
)

// becomeSubreaper: the orphans below this process become its children.
func becomeSubreaper() bool {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	_, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	return failed == 0
}
