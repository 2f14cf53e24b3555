// Package payments is the client of the payment service, as an application has it.
package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Charge is one charge. Reference is the caller's own name for it.
type Charge struct {
	ID          string `json:"id,omitempty"`
	OrderID     string `json:"order_id"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
	Reference   string `json:"reference,omitempty"`
}

// ErrNotFound is Find's answer when the service has no such charge.
var ErrNotFound = errors.New("no such charge")

// Client speaks to the service at URL.
type Client struct{ URL string }

var client = &http.Client{Timeout: 30 * time.Second}

// Create makes the charge. It makes one try only: a client that retries inside
// could charge twice by itself.
func (c Client) Create(ctx context.Context, charge Charge) (Charge, error) {
	body, err := json.Marshal(charge)
	if err != nil {
		return Charge{}, err
	}
	return c.call(ctx, http.MethodPost, "/charges", body)
}

// Find looks a charge up by its reference.
func (c Client) Find(ctx context.Context, reference string) (Charge, error) {
	return c.call(ctx, http.MethodGet, "/charges/"+url.PathEscape(reference), nil)
}

func (c Client) call(ctx context.Context, method, path string, body []byte) (Charge, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return Charge{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return Charge{}, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound && method == http.MethodGet:
		return Charge{}, ErrNotFound
	case response.StatusCode >= 300:
		return Charge{}, fmt.Errorf("payment service: %s", response.Status)
	}
	var charge Charge
	err = json.NewDecoder(response.Body).Decode(&charge)
	return charge, err
}
