package fork

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/twiceproof/twiceproof/replay/process"
)

// forkServer is an interpreter that has loaded what is installed. It is asked for
// workers by one pipe and answers by another one.
type forkServer struct {
	process  *process.Process
	requests *os.File
	pipe     *os.File
	answers  *bufio.Reader
}

// The server's pipes have numbers that nothing else gets: an interpreter gives the first
// ones to what it opens itself.
const firstPipe = 8

func startForkServer(s Launch) (*forkServer, error) {
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
	f.process, err = process.Start(s.Command, s.Folder, s.Environ, append(make([]*os.File, firstPipe-3), read, answers)...)
	if err != nil {
		f.closePipes()
		return nil, err
	}
	return f, nil
}

func (f *forkServer) end() {
	f.process.Kill()
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
func (f *forkServer) fork(ctx context.Context, environ []string, port string) (*process.Process, error) {
	return process.Adopted(func(output string) (int, error) {
		fields := []string{output, strconv.Itoa(os.Getpid()), port, strconv.Itoa(callPrctl), strconv.Itoa(callDup3)}
		text := strings.Join(append(fields, environ...), "\x00")
		_ = f.requests.SetWriteDeadline(time.Now().Add(forkLimit)) // an error: the write has it, too
		if _, err := fmt.Fprintf(f.requests, "%d\n%s", len(text), text); err != nil {
			return 0, err
		}
		line, err := f.answer(ctx, forkLimit)
		if err != nil {
			return 0, err
		}
		pid, err := strconv.Atoi(line)
		if err != nil {
			return 0, errors.New(line)
		}
		return pid, nil
	})
}
