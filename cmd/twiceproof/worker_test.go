package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
)

// worker is a consumer as wrong as a script asks for: it charges whatever it gets.
//
//	worker              charge and delete
//	worker listen ADDR  listen there first, as a worker with a health check does
//	worker hang FIFO    say so on the FIFO, and hang in the act of the first message
func worker() {
	mode, argument := "", ""
	if len(os.Args) == 3 {
		mode, argument = os.Args[1], os.Args[2]
	}
	if mode == "listen" {
		l, err := net.Listen("tcp", argument)
		check(err)
		defer l.Close() // or the garbage collector closes it, and the port is free again
	}
	for {
		for _, m := range sqs("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}) {
			if mode == "hang" {
				hang(argument)
			}
			var body struct{ Order struct{ ID string } }
			check(json.Unmarshal([]byte(m.Body), &body))
			post(os.Getenv("PAYMENTS_URL")+"/charges", "", map[string]any{"order_id": body.Order.ID})
			sqs("DeleteMessage", map[string]any{"ReceiptHandle": m.ReceiptHandle})
		}
	}
}

// hang keeps its end of the FIFO open for as long as it lives.
func hang(fifo string) {
	if fifo != "nowhere" {
		alive, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		check(err)
		fmt.Fprintln(alive, "acting")
	}
	select {}
}

type received struct{ Body, ReceiptHandle string }

func sqs(action string, fields map[string]any) []received {
	fields["QueueUrl"] = os.Getenv("QUEUE_URL")
	var answer struct{ Messages []received }
	text := post(os.Getenv("AWS_ENDPOINT_URL_SQS"), "AmazonSQS."+action, fields)
	if len(text) > 0 {
		check(json.Unmarshal(text, &answer))
	}
	return answer.Messages
}

func post(url, target string, fields map[string]any) []byte {
	body, err := json.Marshal(fields)
	check(err)
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	check(err)
	r.Header.Set("X-Amz-Target", target)
	resp, err := http.DefaultClient.Do(r)
	check(err)
	defer resp.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(resp.Body)
	check(err)
	return text.Bytes()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
