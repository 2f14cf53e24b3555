package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/twiceproof/twiceproof/replay/process"
)

func main() {
	ctx, _ := signal.NotifyContext(context.Background(), endings()...)
	// A reader that goes (| head) must not end a replay half-way: a write fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	process.AdoptOrphans() // also a worker that became a daemon ends with its case
	os.Exit(run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// endings are the signals that end the command in good order. A terminal that is closed
// is one, unless nohup has said that it is not.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
