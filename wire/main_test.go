package wire_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is the worker process when the test says so, and looks for goroutines
// left behind when it is the test.
func TestMain(m *testing.M) {
	if addr := os.Getenv("WIRE_TEST_WORKER"); addr != "" {
		work(addr)
	}
	code := m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Println("goroutines left:\n" + left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft gives them time to end: those of net/http do so on their own.
func goroutinesLeft() (left string) {
	for range 200 {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		_, left, _ = strings.Cut(string(stacks), "\n\n") // the first is this one
		if !strings.Contains(left, "twiceproof") {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}

// work is a worker with four threads that never stop sending. It prints each
// reply that it hears.
func work(addr string) {
	for thread := range 4 {
		go func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				panic(err)
			}
			replies := bufio.NewScanner(conn)
			for i := 0; ; i++ {
				fmt.Fprintf(conn, "add %d-%d\n", thread, i)
				if !replies.Scan() {
					return
				}
				fmt.Fprintln(os.Stdout, replies.Text())
			}
		}()
	}
	select {}
}

// worker is a child process in a group of its own.
type worker struct {
	cmd  *exec.Cmd
	said *strings.Builder
}

func startWorker(t *testing.T, addr string) *worker {
	w := &worker{exec.Command(os.Args[0]), &strings.Builder{}}
	w.cmd.Env = append(os.Environ(), "WIRE_TEST_WORKER="+addr)
	w.cmd.Stdout = w.said
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	return w
}

// kill ends the process group and waits for its exit. What it said may be read
// after that.
func (w *worker) kill() {
	syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	w.cmd.Wait()
}

func (w *worker) dead() bool { return w.cmd.ProcessState != nil }
