package wire_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// TestMain is the worker process when the test says so, and looks for goroutines
// left behind when it is the test.
func TestMain(m *testing.M) {
	os.Exit(wiretest.Main(m, work))
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
