package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Kind is what differs from one server's programs to another's.
type Kind struct {
	// Name is the server's own, such as "PostgreSQL".
	Name string
	// Accounts are those that root lends it, the first that exists.
	Accounts []string
	// PIDFile is where the server writes its process id, below the folder.
	PIDFile string
	// Complaint is in the lines of its output that give the reason of a failure;
	// empty when the last lines do.
	Complaint string
	// PortTaken is what it says when a port of its is taken, beside the system's own
	// words.
	PortTaken []string
	// Lingering is what it says while processes of a killed one are still there.
	Lingering string
}

// Group is one server's folder and all of its processes.
type Group struct {
	// Dir is the private folder: everything the server writes.
	Dir string
	// Port is the server's on 127.0.0.1, once Serve has returned.
	Port int

	kind     Kind
	account  *account
	watchdog *watchdog
	daemon   Daemon
	process  *os.Process   // the server's; nil before it starts
	exited   chan struct{} // closed when that has ended

	stop    sync.Once
	stopErr error
}

// Prepare makes the folder and sets the watchdog on it.
func Prepare(ctx context.Context, kind Kind) (*Group, error) {
	account, err := chooseAccount(kind.Name, kind.Accounts)
	if err != nil {
		return nil, err
	}
	dir, err := privateFolder(strings.ToLower(kind.Name), account)
	if err != nil {
		return nil, err
	}
	watchdog, err := startWatchdog(ctx, dir, kind.PIDFile, account)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Group{Dir: dir, kind: kind, account: account, watchdog: watchdog}, nil
}

// Path is a file below the folder.
func (g *Group) Path(name string) string { return filepath.Join(g.Dir, name) }

// WriteFile makes a file below the folder that only the server can read.
func (g *Group) WriteFile(name, text string) error {
	if err := os.WriteFile(g.Path(name), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if g.account == nil {
		return nil
	}
	if err := os.Chown(g.Path(name), int(g.account.uid), int(g.account.gid)); err != nil {
		return fmt.Errorf("hand over %s: %w", name, err)
	}
	return nil
}

// Run runs a program to its end.
func (g *Group) Run(ctx context.Context, program string, args ...string) error {
	name := filepath.Base(program)
	out, err := g.command(ctx, program, args...).CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", name, ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, reason(out, g.kind.Complaint))
	}
	return nil
}

// Stop ends all processes at once and removes the folder. Only the first call
// does so; every call returns the same error.
func (g *Group) Stop() error {
	g.stop.Do(func() {
		err := g.watchdog.end()
		if g.exited != nil {
			<-g.exited // the group is gone, so this does not wait
		}
		g.stopErr = errors.Join(err, os.RemoveAll(g.Dir))
	})
	return g.stopErr
}

// command is a program in the watchdog's process group, as the account, without
// the caller's environment: no PGDATA or MYSQL_HOME can reach it.
func (g *Group) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = g.Dir
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/usr/bin:/bin", "HOME=" + g.Dir, "TMPDIR=" + g.Dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:    true,
		Pgid:       g.watchdog.group(),
		Credential: g.account.credential(),
	}
	return cmd
}

// reason is the end of a program's output, on one line: of the lines with its
// complaint, if there are any.
func reason(out []byte, complaint string) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var complaints []string
	for _, line := range lines {
		if complaint != "" && strings.Contains(line, complaint) {
			complaints = append(complaints, line)
		}
	}
	if len(complaints) > 0 {
		lines = complaints
	}
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}
