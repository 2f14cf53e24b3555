package wiretest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main runs the tests, and fails when a goroutine of a proxy is left behind. Those of a
// throw-away server stay as long as the process.
func Main(m *testing.M) (code int) {
	code = m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Println("goroutines left:\n" + left)
		code = 1
	}
	return code
}

// goroutinesLeft gives them time to end.
func goroutinesLeft() (left string) {
	for range 200 {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left = ""
		for _, one := range strings.Split(string(stacks), "\n\n")[1:] { // the first is this one
			if strings.Contains(one, "twiceproof/wire") {
				left += one + "\n\n"
			}
		}
		if left == "" {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
}
