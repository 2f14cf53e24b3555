// Package mail sends receipts, as an application has it.
package mail

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/smtp"
)

// Receipt is what the job's message says.
type Receipt struct {
	OrderID string `json:"order_id"`
	To      string `json:"to"`
}

// Parse reads a message.
func Parse(body []byte) (Receipt, error) {
	var r Receipt
	err := json.Unmarshal(body, &r)
	return r, err
}

// Send sends the receipt by the server at address. An error does not mean that
// nothing was sent: the server may have accepted the mail before it came.
func Send(address string, r Receipt) error {
	var m bytes.Buffer
	fmt.Fprintf(&m, "From: shop@example.com\r\nTo: %s\r\nSubject: %s\r\n", r.To, mime.QEncoding.Encode("utf-8", "Your receipt"))
	fmt.Fprintf(&m, "X-Order-Id: \"%s\"\r\n\r\nThank you for your order.\r\n", r.OrderID)
	return smtp.SendMail(address, nil, "shop@example.com", []string{r.To}, m.Bytes())
}
