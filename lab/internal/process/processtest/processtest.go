package processtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// patience is far more than a loaded machine needs.
const patience = 30 * time.Second

// Explain is the error with its hint.
func Explain(err error) string {
	var h interface {
		error
		Hint() string
	}
	if errors.As(err, &h) {
		return fmt.Sprintf("%v\nhint: %s", err, h.Hint())
	}
	return err.Error()
}

// Silent says that nobody listens on the port.
func Silent(port int) bool {
	conn, err := net.DialTCP("tcp4", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return true
	}
	_ = conn.Close()
	return false
}

// Gone checks that a stopped server left neither folder nor listener.
func Gone(t *testing.T, dir string, port int) {
	t.Helper()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if !Silent(port) {
		t.Errorf("port %d still answers", port)
	}
}

// TakenPort is a port on which somebody listens, accepts and says nothing.
func TakenPort(t *testing.T) int {
	t.Helper()
	holder, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = holder.Close() })
	return holder.Addr().(*net.TCPAddr).Port
}

// OpenTemp is a temporary folder that the account which root lends the server
// can enter.
func OpenTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Eventually fails with the complaint unless done comes true.
func Eventually(t *testing.T, complaint string, done func() bool) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.After(patience); !done(); {
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatal(complaint)
		}
	}
}
