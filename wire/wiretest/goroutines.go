package wiretest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main runs the tests, or work in the program that StartWorker starts. It fails when a
// goroutine of a proxy is left behind; those of a throw-away server stay as long as the
// process.
func Main(m *testing.M, work func(addr string)) (code int) {
	if addr := os.Getenv(workerEnv); addr != "" {
		work(addr)
		return 0
	}
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
