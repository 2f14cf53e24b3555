package sqs

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// receipt says for which receive of which copy a handle was given.
type receipt struct {
	queue   string
	message string
	copy    int
	receive int
}

func (r receipt) String() string {
	s := strings.Join([]string{r.queue, r.message, strconv.Itoa(r.copy), strconv.Itoa(r.receive)}, "/")
	return base64.StdEncoding.EncodeToString([]byte(s))
}

// readReceipt reads a handle of the named queue.
func readReceipt(queue, handle string) (receipt, *fault) {
	raw, err := base64.StdEncoding.DecodeString(handle)
	parts := strings.Split(string(raw), "/")
	if err != nil || len(parts) != 4 || parts[0] != queue {
		return receipt{}, receiptIsInvalid(handle)
	}
	r := receipt{queue: parts[0], message: parts[1]}
	r.copy, err = strconv.Atoi(parts[2])
	if err == nil {
		r.receive, err = strconv.Atoi(parts[3])
	}
	if err != nil {
		return receipt{}, receiptIsInvalid(handle)
	}
	return r, nil
}
