package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// watchdog ends everything that runs in its process group and removes the
// folder, once nobody holds the other end of its standard input any more. The
// kernel closes that end when our process ends, also when it ends by SIGKILL,
// so the same few lines serve Stop, a Start that fails half-way, a test binary
// that simply exits and an owner that was killed.
//
// (Linux's parent-death signal would not do: it is tied to the thread that
// forked, it does not exist elsewhere, and it removes no folder.)
type watchdog struct {
	cmd  *exec.Cmd
	hold io.Closer
}

// SIGQUIT is an immediate shutdown for PostgreSQL, a shutdown that its settings
// make short for MariaDB, and the end for most others; a program that blocks it
// (MariaDB's bootstrap) is left to the SIGKILL, by which the script ends itself
// as well. It waits for the server in between, since PostgreSQL's backends are in
// groups of their own and end with it. The folder itself it may not remove where the server has
// an account of its own and TMPDIR is not everybody's; the owner does. $1 is the folder, $2 the tries to wait,
// $3 the file with the server's process id.
const watchdogScript = `
trap '' HUP INT QUIT TERM
read -r _
kill -QUIT 0
tries=$2
while [ "$tries" -gt 0 ] && [ -e "$3" ] &&
	kill -0 "$(head -n 1 "$3")"; do
	sleep 0.02
	tries=$((tries - 1))
done
cd /
rm -rf "$1" || [ -z "$(ls -A "$1")" ] || { sleep 0.5; rm -rf "$1"; }
kill -KILL 0
`

const (
	watchdogTries = "400" // of 20 ms: 8 s until SIGKILL, for a server that does not end
	watchdogLimit = 15 * time.Second
)

func startWatchdog(ctx context.Context, dir, pidFile string, a *account) (*watchdog, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", watchdogScript, "watchdog", dir, watchdogTries, filepath.Join(dir, pidFile))
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: a.credential()}
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start watchdog: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start watchdog: %w", err)
	}
	return &watchdog{cmd, hold}, nil
}

// group is the process group that the watchdog ends.
func (w *watchdog) group() int { return w.cmd.Process.Pid }

// end lets go of the group and waits until it is gone.
func (w *watchdog) end() error {
	limit := time.AfterFunc(watchdogLimit, func() {
		_ = syscall.Kill(-w.group(), syscall.SIGKILL) // gone already is as good
	})
	defer limit.Stop()
	_ = w.hold.Close() // Wait closes it as well
	err := w.cmd.Wait()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) { // its last act is to kill its own group
		return nil
	}
	return fmt.Errorf("wait for watchdog: %w", err)
}
