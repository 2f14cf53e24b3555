//go:build linux

package process

import (
	"os"
	"testing"
)

// TestMain is a program that a test starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "pool":
			pool()
			return
		case "adopt":
			adopt(os.Args[2])
			return
		}
	}
	os.Exit(m.Run())
}
