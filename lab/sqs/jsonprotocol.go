package sqs

import (
	"encoding/json"
	"net/http"
	"strings"
)

// jsonProtocol is x-amz-json-1.0: POST with "X-Amz-Target: AmazonSQS.<Action>".
type jsonProtocol struct{}

func (jsonProtocol) read(r *http.Request, body []byte) (string, request, *fault) {
	var q request
	target := r.Header.Get("X-Amz-Target")
	name, ok := strings.CutPrefix(target, "AmazonSQS.")
	if !ok {
		return target, q, invalidAction(target)
	}
	if len(body) == 0 {
		return name, q, nil
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return name, q, malformed(err)
	}
	return name, q, nil
}

func (jsonProtocol) answer(h http.Header, _, _ string, answer any) []byte {
	h.Set("Content-Type", "application/x-amz-json-1.0")
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // strings, numbers and maps of them: cannot fail
	}
	return text
}

// refuse names the error twice: its shape in the body, and in the header the
// code of the Query protocol, by which older clients know it.
func (p jsonProtocol) refuse(h http.Header, _ string, err *fault) []byte {
	h.Set("x-amzn-query-error", err.code+";Sender")
	return p.answer(h, "", "", map[string]string{"__type": err.shape, "message": err.message})
}
