package differential_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// emulator is one that install.sh installs.
type emulator struct {
	name, version string
	protocols     []protocol
	program       string // what it needs on the PATH
	together      int    // scenarios at a time in each protocol, so many that it keeps up
	command       func(dir string, port int) []string
	// spelling is error codes that it spells otherwise than Amazon's model of the
	// service, which names the code of each error.
	spelling map[protocol]map[string]string
}

func (e emulator) String() string { return e.name + " " + e.version }

func isEmulator(who string) bool {
	name, p, _ := strings.Cut(who, "/")
	return slices.ContainsFunc(emulators, func(e emulator) bool {
		return e.name == name && (p == "" || slices.Contains(e.protocols, protocol(p)))
	})
}

// dir is where install.sh puts the emulator. The file "installed" is written
// last.
func (e emulator) dir() (string, error) {
	base := os.Getenv("TWICEPROOF_TOOLS")
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		base = filepath.Join(cache, "twiceproof")
	}
	return filepath.Join(base, "sqs", e.name+"-"+e.version), nil
}

// find says why the emulator cannot be compared, if it cannot.
func (e emulator) find() (dir string, err error) {
	if _, err := exec.LookPath(e.program); err != nil {
		return "", fmt.Errorf("%s is not there", e.program)
	}
	if dir, err = e.dir(); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "installed")); err != nil {
		return "", errors.New("it is not installed")
	}
	return dir, nil
}

// keeper ends its process group, the emulator in it, once nobody holds the other
// end of its standard input any more (also when this process was killed), and
// when the emulator ends by itself.
const keeper = `{ "$@"; kill -KILL 0; } & read -r _; kill -KILL 0`

// start starts the emulator on a free port and waits until it answers. It ends
// with the test.
func (e emulator) start(t *testing.T, dir string) (url string, err error) {
	for range 3 { // somebody else may take the port in between
		if url, err = e.launch(t, dir); err == nil {
			return url, nil
		}
	}
	return "", err
}

func (e emulator) launch(t *testing.T, dir string) (string, error) {
	port, err := freePort()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", keeper, "keeper"}, e.command(dir, port)...)...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	hold, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended, over := context.WithCancelCause(t.Context())
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it kills itself
		over(errors.New("it ended"))
		close(gone)
	}()
	end := func() {
		_ = hold.Close()
		<-gone
	}
	url := "http://127.0.0.1:" + strconv.Itoa(port)
	if err := e.ready(ended, url); err != nil {
		end()
		return "", fmt.Errorf("%w: %s", err, lastLines(log))
	}
	t.Cleanup(end)
	return url, nil
}

// ready waits until each protocol has taken a message from end to end, which
// also warms the emulator up.
func (e emulator) ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, p := range e.protocols {
		for {
			err := greet(ctx, client{url: url, protocol: p})
			if err == nil {
				break
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return fmt.Errorf("wait for %s: %w (last: %w)", e.name, context.Cause(ctx), err)
			}
		}
	}
	return nil
}

func greet(ctx context.Context, c client) error {
	r := newRun(ctx, c, nil, "ready-"+string(c.protocol)+"-")
	for _, line := range []string{"create q", "send q hello", "receive q", "delete q r1"} {
		if _, err := r.do(line); err != nil {
			return err
		}
	}
	if len(r.receipts) == 0 {
		return errors.New("nothing received")
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func lastLines(log io.Reader) string {
	text, _ := io.ReadAll(log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "; ")
}
