package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// forkServer is an interpreter that has loaded what is installed. It is asked for
// workers by one pipe and answers by another one.
type forkServer struct {
	process  *process
	requests *os.File
	pipe     *os.File
	answers  *bufio.Reader
}

// The server's pipes have numbers that nothing else gets: an interpreter gives the first
// ones to what it opens itself.
const firstPipe = 8

func startForkServer(s launching) (*forkServer, error) {
	read, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	pipe, answers, err := os.Pipe()
	if err != nil {
		requests.Close()
		return nil, err
	}
	defer answers.Close()
	f := &forkServer{requests: requests, pipe: pipe, answers: bufio.NewReader(pipe)}
	f.process, err = begin(func(write *os.File) (int, func() error, error) {
		cmd := shellCommand(s.command, s.folder, s.environ)
		cmd.ExtraFiles = append(make([]*os.File, firstPipe-3), read, answers)
		return startShell(cmd, write)
	})
	if err != nil {
		f.closePipes()
		return nil, err
	}
	return f, nil
}

func (f *forkServer) end() {
	f.process.kill()
	f.closePipes()
}

func (f *forkServer) closePipes() {
	f.requests.Close()
	f.pipe.Close()
}

func (f *forkServer) answer(ctx context.Context, limit time.Duration) (string, error) {
	if err := f.pipe.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { _ = f.pipe.SetReadDeadline(time.Now()) })() // an error: it is closed
	line, err := f.answers.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the server of forks does not answer (%w)", err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// A fork takes some milliseconds.
const forkLimit = 20 * time.Second

// fork starts a worker. It is a child of this process when its number is told: what is
// between it and the server has ended by then.
func (f *forkServer) fork(ctx context.Context, environ []string, port string) (*process, error) {
	return begin(func(write *os.File) (int, func() error, error) {
		leaders.Lock() // nobody takes it for an orphan meanwhile
		defer leaders.Unlock()
		self := os.Getpid()
		fields := []string{procFile(self, "fd/"+fmt.Sprint(write.Fd())), strconv.Itoa(self), port, strconv.Itoa(callPrctl), strconv.Itoa(callDup3)}
		fields = append(fields, environ...)
		text := strings.Join(fields, "\x00")
		_ = f.requests.SetWriteDeadline(time.Now().Add(forkLimit)) // an error: the write has it, too
		if _, err := fmt.Fprintf(f.requests, "%d\n%s", len(text), text); err != nil {
			return 0, nil, err
		}
		line, err := f.answer(ctx, forkLimit)
		if err != nil {
			return 0, nil, err
		}
		pid, err := strconv.Atoi(line)
		if err != nil {
			return 0, nil, errors.New(line)
		}
		leaders.numbers[pid] = true
		keepLeaders()
		return pid, func() error { return waitAdopted(pid) }, nil
	})
}

// waitAdopted waits for a child that another process has started, as waitLeader does.
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
