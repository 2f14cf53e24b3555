package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
)

// TestMain is a worker, or a whole replay, when a test starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "work":
			work(os.Args[2])
			return
		case "never":
			neverClaims()
			return
		case "lock":
			lockingWorker(os.Args[2])
			return
		case "cut":
			cutWorker(os.Args[2])
			return
		case "journal":
			journalWorker(os.Args[2])
			return
		case "http2":
			http2Worker(os.Args[2] == "true")
			return
		case "secure":
			secureWorker(os.Args[2])
			return
		case "files":
			fileWorker(os.Args[2], os.Args[3])
			return
		case "race":
			raceWorker(os.Args[2], os.Args[3])
			return
		}
		onLinux(os.Args[1], os.Args[len(os.Args)-1])
	}
	os.Exit(m.Run())
}

// work receives messages and hangs in the act of the first one. Its end of the FIFO
// is open for as long as it lives.
func work(fifo string) {
	alive, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	for {
		if body := call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}); len(body) > 0 {
			fmt.Fprintln(alive, "acting")
			select {}
		}
	}
}

func call(action string, fields map[string]any) []any {
	fields["QueueUrl"] = os.Getenv("QUEUE_URL")
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	r, err := http.NewRequest(http.MethodPost, os.Getenv("AWS_ENDPOINT_URL_SQS"), bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("X-Amz-Target", "AmazonSQS."+action)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	var answer struct{ Messages []any }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		panic(err)
	}
	return answer.Messages
}
