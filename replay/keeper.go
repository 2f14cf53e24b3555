package replay

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
type keeper struct {
	cmd  *exec.Cmd
	hold io.WriteCloser
}

// Each line has all groups that there are now.
const keeperScript = `trap '' HUP INT QUIT TERM
while read -r now; do groups=$now; done
for group in $groups; do kill -KILL "-$group"; done`

func startKeeper() (*keeper, error) {
	cmd := exec.Command("/bin/sh", "-c", keeperScript) //nolint:noctx // it ends with its standard input
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	hold, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	return &keeper{cmd, hold}, err
}

// keep tells it which groups there are.
func (k *keeper) keep(groups map[int]bool) {
	numbers := strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(groups))), "[]")
	_, _ = io.WriteString(k.hold, numbers+"\n") // it has been killed: then nobody keeps them
}

func (k *keeper) end() {
	_ = k.hold.Close()
	_ = k.cmd.Wait()
}

// is tells whether it is this process.
func (k *keeper) is(pid int) bool { return k != nil && k.cmd.Process.Pid == pid }
