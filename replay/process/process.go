package process

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Process is a worker process, its group and its descendants.
type Process struct {
	Pid    int
	wait   func() error // for its end; called once
	output *output
	pipe   *os.File      // what it prints comes out here
	Exited chan struct{} // closed when the process has ended and was reaped
	silent chan struct{} // closed when nobody can print any more
	Err    error         // how it ended; after Exited
	killed sync.Once     // its number may be another process's afterwards
}

// Start runs one command of the shell, in a process group of its own. It has the files
// beside its standard ones, the first as number 3; nil is left out.
func Start(command, folder string, environ []string, files ...*os.File) (*Process, error) {
	return begin(func(write *os.File) (int, func() error, error) {
		cmd := exec.Command("sh", "-c", inPlace(command)) //nolint:noctx // ended by its group, not by a context
		cmd.Dir, cmd.Env, cmd.ExtraFiles = folder, environ, files
		cmd.Stdout, cmd.Stderr = write, write
		if err := StartLeader(cmd); err != nil {
			return 0, nil, err
		}
		return cmd.Process.Pid, func() error { return WaitLeader(cmd) }, nil
	})
}

// begin starts a process whose output goes into a pipe that is read by this package and
// not by exec, whose Wait sees an end only when nobody has the pipe any more: not a child
// of the worker.
func begin(start func(write *os.File) (pid int, wait func() error, err error)) (*Process, error) {
	p := &Process{output: &output{}, Exited: make(chan struct{}), silent: make(chan struct{})}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close() // the process has its own
	if p.Pid, p.wait, err = start(write); err != nil {
		read.Close()
		return nil, err
	}
	p.pipe = read
	go func() {
		_, _ = io.Copy(p.output, p.pipe) // to its end, or to the close in Kill
		close(p.silent)
	}()
	go func() {
		p.Err = p.wait()
		close(p.Exited)
	}()
	return p, nil
}

// Output is the end of what the process has printed by now.
func (p *Process) Output() string { return p.output.String() }

// Printed is all that the process has printed, after its end. A child of it that keeps
// the pipe is not waited for any longer.
func (p *Process) Printed() string {
	select {
	case <-p.silent:
	case <-time.After(time.Second):
	}
	return p.output.String()
}

// Run runs a command to its end, and ends it with all it started when ctx
// ends or it takes too long.
func Run(ctx context.Context, command, folder string, environ []string, limit time.Duration) (printed string, err error) {
	p, err := Start(command, folder, environ)
	if err != nil {
		return "", err
	}
	select {
	case <-p.Exited:
	case <-ctx.Done():
	case <-time.After(limit):
	}
	p.Kill() // and what it left in the background
	return p.output.String(), p.Err
}

// Kill sends SIGKILL to the group and to every descendant, and returns when none of
// them is left.
func (p *Process) Kill() {
	p.killed.Do(func() {
		t := tree{group: p.Pid}
		t.stop()
		t.kill()
		<-p.Exited
		for t.alive() {
			t.kill()
			time.Sleep(time.Millisecond) // a killed child of the worker on its way out: nobody can wait for it but its parent
		}
		p.Printed()
		p.pipe.Close()
	})
}

// Signal sends a signal to the group.
func (p *Process) Signal(s syscall.Signal) { _ = syscall.Kill(-p.Pid, s) } // ESRCH: it has ended

// SignalFirst sends it to the process alone that was started.
func (p *Process) SignalFirst(s syscall.Signal) { _ = syscall.Kill(p.Pid, s) } // ESRCH: likewise

// HasExited says whether the process that was started has ended.
func (p *Process) HasExited() bool {
	select {
	case <-p.Exited:
		return true
	default:
		return false
	}
}
