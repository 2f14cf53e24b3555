// An endpoint of Amazon SQS as a process of its own, for tests in other languages. It
// writes its URL, and ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/twiceproof/twiceproof/lab/sqs"
)

func main() {
	endpoint, err := sqs.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println(endpoint.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = endpoint.Close() // the process is over anyway
}
