package process

import (
	"fmt"
	"os"
	"os/exec"
)

// Adopted is a process that another one has started for this one, and left to it. It is asked
// to print into a file by that path.
func Adopted(ask func(output string) (pid int, err error)) (*Process, error) {
	return begin(func(write *os.File) (int, func() error, error) {
		leaders.Lock() // nobody takes it for an orphan meanwhile
		defer leaders.Unlock()
		pid, err := ask(procFile(os.Getpid(), "fd/"+fmt.Sprint(write.Fd())))
		if err != nil {
			return 0, nil, err
		}
		leaders.numbers[pid] = true
		keepLeaders()
		return pid, func() error { return waitAdopted(pid) }, nil
	})
}

// waitAdopted waits for a child that another process has started, as WaitLeader does.
func waitAdopted(pid int) error {
	defer forgetLeader(pid)
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		err = &exec.ExitError{ProcessState: state}
	}
	return err
}
