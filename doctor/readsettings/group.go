package readsettings

import (
	"context"
	"io"
	"os/exec"
	"syscall"
)

// group is a process group that ends with this process, also when that is killed.
type group struct {
	keeper *exec.Cmd
	hold   io.Closer
}

// keepGroup starts the group's first process, which ends the whole of it once nobody holds
// the other end of its standard input any more: the kernel closes that with our process.
// Counter-example: a loader whose import hangs, after a SIGKILL of doctor. Linux's
// parent-death signal would not reach what the application has started.
func keepGroup(ctx context.Context) (*group, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", "trap '' HUP INT QUIT TERM; read -r _; kill -KILL 0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	hold, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	return &group{cmd, hold}, err
}

// join makes a process, and what it starts, part of the group.
func (g *group) join(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.keeper.Process.Pid}
	cmd.Cancel = func() error { g.end(); return nil }
}

func (g *group) end() { _ = syscall.Kill(-g.keeper.Process.Pid, syscall.SIGKILL) }

// close ends the group; its number is its own until then.
func (g *group) close() {
	g.end()
	_ = g.hold.Close()
	_ = g.keeper.Wait()
}
