package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// How far reading is, is shown while it goes on, and is gone when the result comes.
func TestRepeatsShowsProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "export.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	tt := onTerminal(t, nil, "repeats", "--csv", path, "--reference", "order", "--time", "at")
	export, err := os.OpenFile(path, os.O_RDWR, 0o600) // for reading too, so that it does not wait for a command that has ended
	if err != nil {
		t.Fatal(err)
	}
	defer export.Close()
	if err := export.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	rows := strings.Builder{}
	rows.WriteString("order,at\n")
	for i := range 50_000 {
		fmt.Fprintf(&rows, "ord-%d,2026-01-02T03:04:05Z\n", i)
	}
	if _, err := export.WriteString(rows.String()); err != nil {
		t.Fatal(err)
	}
	tt.sees("1 MB, ")
	tt.sees(" events, ")
	if err := export.Close(); err != nil {
		t.Fatal(err)
	}
	tt.sees("no repeats 50,000 events of 50,000 references")
	if status := tt.ends(); status != 0 || tt.shows(" events, ") {
		t.Errorf("status %d; the screen is\n%s", status, tt.screen.String())
	}
}
