package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	portAttempts = 8
	readyPoll    = 10 * time.Millisecond
)

// errLingering says that processes of a killed server are still there.
var errLingering = errors.New("processes of the killed server are still there")

// Daemon is a server's main program.
type Daemon struct {
	Program string
	// Args are its arguments when it listens on the port.
	Args func(port int) ([]string, error)
	// Answers asks the server who it is. ErrPortTaken: somebody else.
	Answers func(ctx context.Context) error
	// FreePort is the function of that name, or a test's.
	FreePort func() (int, error)
}

// Serve starts the server on a free port and waits until it answers.
func (g *Group) Serve(ctx context.Context, d Daemon) error {
	g.daemon = d
	var err error
	for range portAttempts {
		if g.Port, err = d.FreePort(); err != nil {
			return err
		}
		if err = g.launch(ctx); !errors.Is(err, ErrPortTaken) {
			return err
		}
	}
	return err
}

// Restart kills the server by SIGKILL and starts it again on the same files and
// port. It must not run beside another Restart or Stop.
func (g *Group) Restart(ctx context.Context) error {
	if err := g.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the server: %w", err)
	}
	<-g.exited
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		err := g.launch(ctx)
		if !errors.Is(err, errLingering) && !errors.Is(err, ErrPortTaken) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("restart the server: %w (last: %w)", ctx.Err(), err)
		case <-poll.C:
		}
	}
}

// launch starts the server and waits until it answers or has ended.
func (g *Group) launch(ctx context.Context) error {
	args, err := g.daemon.Args(g.Port)
	if err != nil {
		return err
	}
	// Appended to, since a process of the launch before may still write.
	log, err := os.OpenFile(g.logFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("make the server's log: %w", err)
	}
	defer func() { _ = log.Close() }() // the server has its own copy
	cmd := g.command(context.WithoutCancel(ctx), g.daemon.Program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	exited := make(chan struct{})
	g.process, g.exited = cmd.Process, exited
	go func() {
		_ = cmd.Wait() // why it ended is in its log
		close(exited)
	}()
	return g.ready(ctx)
}

// ready returns once the server answers, or has ended. A stranger that holds
// the port may accept and say nothing: the server's end cuts that short.
func (g *Group) ready(ctx context.Context) error {
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	exited := g.exited // of this launch: Restart makes another
	go func() {
		select {
		case <-exited:
			cancel()
		case <-alive.Done():
		}
	}()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		err := g.daemon.Answers(alive)
		if err == nil {
			return nil
		}
		select {
		case <-alive.Done():
			return g.notReady(ctx, err)
		case <-poll.C:
		}
	}
}

// notReady says why waiting has ended: the start's time is over, or the
// server's.
func (g *Group) notReady(ctx context.Context, last error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("wait for the server: %w (last: %w)", ctx.Err(), last)
	}
	return g.exitError()
}

// exitError reads the log for the reason that the server ended.
func (g *Group) exitError() error {
	log, err := os.ReadFile(g.logFile())
	if err != nil {
		return fmt.Errorf("the server ended; read its log: %w", err)
	}
	if strings.Contains(string(log), "Address already in use") || slices.ContainsFunc(g.kind.PortTaken, func(words string) bool { return says(log, words) }) {
		return ErrPortTaken
	}
	if says(log, g.kind.Lingering) {
		return errLingering
	}
	return fmt.Errorf("the server ended: %s", reason(log, g.kind.Complaint))
}

// says looks for words of a kind, which may have none.
func says(log []byte, words string) bool { return words != "" && strings.Contains(string(log), words) }

func (g *Group) logFile() string { return g.Path("server.log") }
