package process

import "syscall"

// becomeSubreaper: the orphans below this process become its children.
func becomeSubreaper() bool {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	_, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	return failed == 0
}
