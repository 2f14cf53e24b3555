//go:build !linux

package process

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
