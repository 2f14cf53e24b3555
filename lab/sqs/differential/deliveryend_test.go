package differential_test

import (
	"strconv"
	"strings"
)

// The steps that end what was received.

func (r *run) remove(s step) (string, error) {
	_, err := r.call("DeleteMessage", params{"QueueUrl": r.url(s.queue), "ReceiptHandle": r.receipt(s.word(0))})
	return "ok", err
}

func (r *run) change(s step) (string, error) {
	timeout, err := strconv.Atoi(s.word(1))
	if err != nil {
		return "", err
	}
	_, err = r.call("ChangeMessageVisibility", params{
		"QueueUrl": r.url(s.queue), "ReceiptHandle": r.receipt(s.word(0)), "VisibilityTimeout": timeout,
	})
	return "ok", err
}

// receipt is the handle of receipt r1, r2, …; any other word is a handle itself.
func (r *run) receipt(word string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(word, "r"))
	if err != nil || n < 1 || n > len(r.receipts) {
		return unquote(word)
	}
	return r.receipts[n-1]
}

// unquote lets a body be empty or hold any character.
func unquote(word string) string {
	if s, err := strconv.Unquote(word); err == nil {
		return s
	}
	return word
}

// removeBatch takes entries such as 1=r1.
func (r *run) removeBatch(s step) (string, error) {
	return r.batch("DeleteMessageBatch", s, func(_, receipt string) params {
		return params{"ReceiptHandle": r.receipt(receipt)}
	}, func(done) string { return "ok" })
}

// changeBatch takes entries such as 1=r1/30.
func (r *run) changeBatch(s step) (string, error) {
	return r.batch("ChangeMessageVisibilityBatch", s, func(_, given string) params {
		receipt, timeout, _ := strings.Cut(given, "/")
		n, _ := strconv.Atoi(timeout)
		return params{"ReceiptHandle": r.receipt(receipt), "VisibilityTimeout": n}
	}, func(done) string { return "ok" })
}
