package httpwire_test

import (
	"net/http/httptest"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

func TestDefaultName(t *testing.T) {
	for target, want := range map[string]string{
		"/charges":             "POST /charges",
		"/charges?reference=1": "POST /charges",
		"/v1/charges/17":       "POST /v1/charges/{n}",
		"/orders/ord_123/pay":  "POST /orders/ord_{n}/pay",
		"/s3/a%2F5":            "POST /s3/a%2F5",
		"/c/0b8e0f6c-7c1e-4b0a-9a53-1d2f3c4b5a69.json": "POST /c/{uuid}.json",
		"/c/ch_3MmlLrLkdIwHu7ix0snN0B15":               "POST /c/ch_{id}",
		"/averylongwordwithoutdigits":                  "POST /averylongwordwithoutdigits",
	} {
		if got := httpwire.DefaultName(httptest.NewRequest("POST", target, nil), nil); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

func TestUpstreamIsChecked(t *testing.T) {
	for _, url := range []string{"", "127.0.0.1:1", "https://127.0.0.1:1", "http://127.0.0.1", "http://127.0.0.1:1/path", "http://a b"} {
		if p, err := httpwire.Listen(wire.NewGate(nil), "queue", url, nil, nil); err == nil {
			p.Close()
			t.Errorf("%q was taken", url)
		}
	}
}
