//go:build linux

package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/twiceproof/twiceproof/replay/process/processtest"
)

// onLinux is a program of the tests that are for Linux alone.
func onLinux(name, argument string) {
	if name == "replay" {
		_, err := runHanging(context.Background(), argument)
		fmt.Println("the replay was meant to be killed:", err)
		os.Exit(1)
	}
}

// A replay whose worker hangs in the act.
func runHanging(ctx context.Context, fifo string) (Outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return Outcome{}, err
	}
	r, err := chargeRequest(filepath.Dir(fifo), `version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS}
versions: {old: {run: "`+self+` work '`+fifo+`'"}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: "POST /charges", operation: body.order_id}
timeouts: {ready: 5m, step: 5m, recovery: 5m}
`, "sequential")
	if err != nil {
		return Outcome{}, err
	}
	r.Environ = append(r.Environ, "TWICEPROOF_TEST="+fifo)
	return planAndRun(ctx, r)
}

func TestInterruptedInTheMiddle(t *testing.T) {
	fifo, temp := processtest.NewFIFO(t), t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := runHanging(ctx, fifo)
		ended <- err
	}()
	f := processtest.AwaitLine(t, fifo)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Errorf("the worker lives: %v", err)
	}
	if left := processtest.Running(t, "TWICEPROOF_TEST="+fifo); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

func TestKilledReplayLeavesNoWorker(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	fifo := processtest.NewFIFO(t)
	replay := exec.Command(self, "replay", fifo)
	replay.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	replay.Stderr = os.Stderr
	if err := replay.Start(); err != nil {
		t.Fatal(err)
	}
	f := processtest.AwaitLine(t, fifo)
	if err := replay.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = replay.Wait()
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Errorf("the worker lives: %v", err)
	}
}
