// Command twiceproof makes one background job safe to run twice, and proves it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/twiceproof/twiceproof/replay"
)

func main() {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A reader that goes (| head) must not end a replay half-way: a write fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	replay.AdoptOrphans() // also a worker that became a daemon ends with its case
	os.Exit(run(ctx, os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}
