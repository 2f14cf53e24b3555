package processtest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// ownerEnv makes a test binary start a server and wait to be killed.
const ownerEnv = "TWICEPROOF_LAB_OWNER"

// Main runs the tests, or owner in the program that KillOwner starts. A server that the
// tests share ends with the process.
func Main(m *testing.M, owner func()) {
	if os.Getenv(ownerEnv) != "" {
		owner()
		return
	}
	os.Exit(m.Run())
}

// Must ends an owner that could not start its server.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, Explain(err))
		os.Exit(1)
	}
}

// Own tells what the server has and waits to be killed.
func Own(port int, dir string) {
	fmt.Println(port, dir)
	select {}
}

// KillOwner runs this test binary as the owner of a server, kills its process group and
// checks that the server has gone with it. A killed owner runs no deferred call and no
// cleanup.
func KillOwner(t *testing.T, environment ...string) {
	t.Helper()
	owner := exec.CommandContext(t.Context(), os.Args[0])
	owner.Env = append(append(os.Environ(), ownerEnv+"=1"), environment...)
	owner.Stderr = os.Stderr
	port, dir := startOwner(t, owner)
	if Silent(port) {
		t.Fatalf("nothing listens on %d", port)
	}
	if err := syscall.Kill(-owner.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	Eventually(t, dir+" is still there", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, os.ErrNotExist)
	})
	Eventually(t, fmt.Sprintf("port %d still answers", port), func() bool { return Silent(port) })
}

func startOwner(t *testing.T, owner *exec.Cmd) (port int, dir string) {
	t.Helper()
	owner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &port, &dir); err != nil {
		t.Fatal(err)
	}
	return port, dir
}
