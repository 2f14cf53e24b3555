package process

import (
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// keeper ends the process groups that this process has started, once nobody holds the
// other end of its standard input any more: the kernel closes that when this process ends,
// also by SIGKILL. Linux's parent-death signal, which the leaders get as well, does not
// reach what they have started. Counter-example: a worker that a shell waits for.
//
// One that is killed is replaced. Whoever kills both at once leaves what it would have ended.
type keeper struct {
	cmd  *exec.Cmd
	hold io.WriteCloser
	gone chan struct{} // closed when it has ended
}

// Each line has all groups that there are now, as the first word has those of its start.
const keeperScript = `trap '' HUP INT QUIT TERM
groups=$1
while read -r now; do groups=$now; done
for group in $groups; do kill -KILL "-$group"; done`

func startKeeper(groups map[int]bool) (*keeper, error) {
	cmd := exec.Command("/bin/sh", "-c", keeperScript, "keeper", numbers(groups)) //nolint:noctx // it ends with its standard input
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	hold, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	k := &keeper{cmd, hold, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(k.gone)
		k.replace()
	}()
	return k, nil
}

// replace starts another one where this one was still needed.
func (k *keeper) replace() {
	leaders.Lock()
	defer leaders.Unlock()
	if leaders.keeper != k {
		return
	}
	if next, err := startKeeper(leaders.numbers); err == nil { // else nothing can be started any more, no worker either
		leaders.keeper = next
	}
}

// keep tells it which groups there are.
func (k *keeper) keep(groups map[int]bool) {
	_, _ = io.WriteString(k.hold, numbers(groups)+"\n") // it has been killed: the one that replaces it is told
}

func numbers(groups map[int]bool) string {
	return strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(groups))), "[]")
}

func (k *keeper) end() {
	_ = k.hold.Close()
	<-k.gone
}

// is tells whether it is this process.
func (k *keeper) is(pid int) bool { return k != nil && k.cmd.Process.Pid == pid }
