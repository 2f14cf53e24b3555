// Package charges books charges, as an application has it.
package charges

import "encoding/json"

// Charge is what the job's message says.
type Charge struct {
	Order struct {
		ID string `json:"id"`
	} `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
}

// Parse reads a message.
func Parse(body []byte) (Charge, error) {
	var c Charge
	err := json.Unmarshal(body, &c)
	return c, err
}
