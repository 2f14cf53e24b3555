package process

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group of its own. When the replay itself
// is killed, the kernel kills the command too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
