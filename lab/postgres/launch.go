package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	superuser    = "postgres"
	portAttempts = 8
	readyPoll    = 10 * time.Millisecond
)

var errPortTaken = errors.New("the port was taken by another process")

// command is a server program in the watchdog's process group, as the owner,
// without the caller's environment: no PGDATA or PGPORT can reach it.
func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/usr/bin:/bin", "HOME=" + s.dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:    true,
		Pgid:       s.watchdog.group(),
		Credential: s.owner.credential(),
	}
	return cmd
}

func (s *Server) initdb(ctx context.Context) error {
	cmd := s.command(ctx, "initdb", "--pgdata="+s.data(), "--username="+superuser,
		"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("initdb: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, lastLines(out))
	}
	return nil
}

// serve starts the server on a free port and waits until it answers.
func (s *Server) serve(ctx context.Context) error {
	var err error
	for range portAttempts {
		if s.port, err = s.freePort(); err != nil {
			return err
		}
		if err = s.launch(ctx); err != nil {
			return err
		}
		if err = s.ready(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return err
}

func (s *Server) launch(ctx context.Context) error {
	log, err := os.Create(s.logFile())
	if err != nil {
		return fmt.Errorf("make the server's log: %w", err)
	}
	defer func() { _ = log.Close() }() // the server has its own copy
	cmd := s.command(context.WithoutCancel(ctx), "postgres", s.settings()...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	exited := make(chan struct{})
	s.exited = exited
	go func() {
		_ = cmd.Wait() // why it ended is in its log
		close(exited)
	}()
	return nil
}

func (s *Server) settings() []string {
	args := []string{"-D", s.data()}
	for _, setting := range []string{
		"port=" + strconv.Itoa(s.port),
		"listen_addresses=127.0.0.1",
		"unix_socket_directories=",
		"cluster_name=" + s.name(),
		"fsync=off",
		"full_page_writes=off",
		"max_connections=200",
		"shared_buffers=32MB",
		"dynamic_shared_memory_type=mmap", // inside the folder, so that nothing is left behind
		"timezone=UTC",
		"log_timezone=UTC",
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// ready returns once the server answers, or has ended. A stranger that holds
// the port may accept and say nothing: the server's end cuts that short.
func (s *Server) ready(ctx context.Context) error {
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.exited:
			cancel()
		case <-alive.Done():
		}
	}()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		err := s.answers(alive)
		if err == nil {
			return nil
		}
		select {
		case <-alive.Done():
			return s.notReady(ctx, err)
		case <-poll.C:
		}
	}
}

// notReady says why waiting has ended: the start's time is over, or the
// server's.
func (s *Server) notReady(ctx context.Context, last error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("wait for the server: %w (last: %w)", ctx.Err(), last)
	}
	return s.exitError()
}

func (s *Server) answers(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var name string
	if err := conn.QueryRow(ctx, "SHOW cluster_name").Scan(&name); err != nil {
		return err
	}
	if name != s.name() {
		return errPortTaken
	}
	return nil
}

// exitError reads the log for the reason that the server ended.
func (s *Server) exitError() error {
	log, err := os.ReadFile(s.logFile())
	if err != nil {
		return fmt.Errorf("the server ended; read its log: %w", err)
	}
	if strings.Contains(string(log), "Address already in use") {
		return errPortTaken
	}
	return fmt.Errorf("the server ended: %s", lastLines(log))
}

func (s *Server) logFile() string { return filepath.Join(s.dir, "server.log") }

// lastLines is the end of a program's output, on one line.
func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}
