package replay

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// process is a worker process, its group and its descendants.
type process struct {
	pid    int
	wait   func() error // for its end; called once
	output *output
	pipe   *os.File      // what it prints comes out here
	exited chan struct{} // closed when the process has ended and was reaped
	silent chan struct{} // closed when nobody can print any more
	err    error         // how it ended; after exited
	killed sync.Once     // its number may be another process's afterwards
}

// startProcess runs one command of the shell.
func startProcess(command, folder string, environment []string) (*process, error) {
	return begin(func(write *os.File) (int, func() error, error) {
		return startShell(shellCommand(command, folder, environment), write)
	})
}

func shellCommand(command, folder string, environment []string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", inPlace(command)) //nolint:noctx // ended by its group, not by a context
	cmd.Dir, cmd.Env = folder, environment
	ownGroup(cmd)
	return cmd
}

func startShell(cmd *exec.Cmd, write *os.File) (pid int, wait func() error, err error) {
	cmd.Stdout, cmd.Stderr = write, write
	if err := startLeader(cmd); err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, func() error { return waitLeader(cmd) }, nil
}

// begin starts a process whose output goes into a pipe that is read by this package and
// not by exec, whose Wait sees an end only when nobody has the pipe any more: not a child
// of the worker.
func begin(start func(write *os.File) (pid int, wait func() error, err error)) (*process, error) {
	p := &process{output: &output{}, exited: make(chan struct{}), silent: make(chan struct{})}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer write.Close() // the process has its own
	if p.pid, p.wait, err = start(write); err != nil {
		read.Close()
		return nil, err
	}
	p.pipe = read
	go func() {
		_, _ = io.Copy(p.output, p.pipe) // to its end, or to the close in kill
		close(p.silent)
	}()
	go func() {
		p.err = p.wait()
		close(p.exited)
	}()
	return p, nil
}

// printed is all that the process has printed, after its end. A child of it that keeps
// the pipe is not waited for any longer.
func (p *process) printed() string {
	select {
	case <-p.silent:
	case <-time.After(time.Second):
	}
	return p.output.String()
}

// runCommand runs a command to its end, and ends it with all it started when ctx
// ends or it takes too long.
func runCommand(ctx context.Context, command, folder string, environment []string, limit time.Duration) (printed string, err error) {
	p, err := startProcess(command, folder, environment)
	if err != nil {
		return "", err
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
	case <-time.After(limit):
	}
	p.kill() // and what it left in the background
	return p.output.String(), p.err
}

// inPlace lets a simple command replace the shell, so that the process that is waited
// for, and that dies with the replay, is the worker itself. One with several parts
// runs below its shell; its own exec before the last part does the same. What only a
// shell knows is no program that could replace it: counter-example ":", whose exec is
// "not found".
func inPlace(command string) string {
	if severalParts.MatchString(command) || shellsOwn.MatchString(command) {
		return command
	}
	return "exec " + command
}

var (
	severalParts = regexp.MustCompile(`[;&|\n]|^\s*(\(|\w+=)`)
	// shellsOwn are the words at a command's begin that are the shell's: its grammar and its builtins.
	shellsOwn = regexp.MustCompile(`^\s*([:.!{]|\[\[|if|for|while|until|case|select|function|time|coproc|exec|exit|return|source|eval|set|unset|export|readonly|` +
		`declare|typeset|local|shift|trap|times|break|continue|alias|unalias|command|builtin|cd|pushd|popd|read|wait|type|hash|umask|ulimit|getopts|let|shopt|enable)(\s|$)`)
)

// kill sends SIGKILL to the group and to every descendant, and returns when none of
// them is left.
func (p *process) kill() {
	p.killed.Do(func() {
		t := tree{group: p.pid}
		t.stop()
		t.kill()
		<-p.exited
		for t.alive() {
			t.kill()
			time.Sleep(time.Millisecond) // a killed child of the worker on its way out: nobody can wait for it but its parent
		}
		p.printed()
		p.pipe.Close()
	})
}

// signal sends a signal to the group.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.pid, s) } // ESRCH: it has ended

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// output keeps the end of what a worker printed.
type output struct {
	mu   sync.Mutex
	text []byte
}

const outputLimit = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if len(o.text) > 2*outputLimit {
		o.text = wholeLines(o.text[len(o.text)-outputLimit:])
	}
	return len(p), nil
}

// wholeLines leaves out a line whose beginning was cut off: half of a secret is not
// recognised as one.
func wholeLines(text []byte) []byte {
	return append([]byte(nil), text[bytes.IndexByte(text, '\n')+1:]...)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}
