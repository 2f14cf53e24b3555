package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"
)

// A terminal that is closed ends the command, unless nohup has said that it is not to.
func TestEndings(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)       // this test may be run below nohup itself
	defer signal.Notify(heard, syscall.SIGHUP) // Reset does not undo Ignore
	if !slices.Contains(endings(), os.Signal(syscall.SIGHUP)) {
		t.Error("SIGHUP does not end it")
	}
	signal.Ignore(syscall.SIGHUP)
	if len(endings()) != 2 {
		t.Error("an ignored SIGHUP ends it")
	}
}
