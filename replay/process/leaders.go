package process

import (
	"os/exec"
	"sync"
)

// leaders are the processes that this package has started and waits for, by number.
var leaders = struct {
	sync.Mutex
	numbers map[int]bool
	keeper  *keeper // there as long as one of them is
}{numbers: map[int]bool{}}

// StartLeader starts a command, in a group of its own, that WaitLeader waits for.
func StartLeader(cmd *exec.Cmd) error {
	leaders.Lock()
	defer leaders.Unlock()
	if leaders.keeper == nil {
		k, err := startKeeper(nil)
		if err != nil {
			return err
		}
		leaders.keeper = k
	}
	ownGroup(cmd)
	err := cmd.Start()
	if err == nil {
		leaders.numbers[cmd.Process.Pid] = true
	}
	keepLeaders()
	return err
}

// keepLeaders has those kept that there are; without any nothing is left to keep.
func keepLeaders() {
	if len(leaders.numbers) > 0 {
		leaders.keeper.keep(leaders.numbers)
		return
	}
	leaders.keeper.keep(nil)
	leaders.keeper.end()
	leaders.keeper = nil
}

// WaitLeader waits for a command of StartLeader.
func WaitLeader(cmd *exec.Cmd) error {
	defer forgetLeader(cmd.Process.Pid)
	return cmd.Wait()
}

func forgetLeader(pid int) {
	leaders.Lock()
	defer leaders.Unlock()
	delete(leaders.numbers, pid)
	keepLeaders()
}
