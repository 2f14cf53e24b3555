package fork

import "syscall"

// What a forked worker asks the system for, by the numbers of this machine.
const (
	callPrctl = syscall.SYS_PRCTL
	callDup3  = syscall.SYS_DUP3
)
