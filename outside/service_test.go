package outside

import (
	"strings"
	"testing"
)

var charges = Service{
	Act: "POST /charges", Reference: "body.reference", Operation: "body.order_id", LookUp: "GET /charges/{reference}",
}

func TestValidate(t *testing.T) {
	if err := charges.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Service){
		`act: "": want a method and a path`:           func(s *Service) { s.Act = "" },
		`act: "/charges": want a method`:              func(s *Service) { s.Act = "/charges" },
		`act: "post /charges": want a method`:         func(s *Service) { s.Act = "post /charges" },
		`{reference} belongs to the look-up`:          func(s *Service) { s.Act = "POST /charges/{reference}" },
		`reference: "reference": want body.<field>`:   func(s *Service) { s.Reference = "reference" },
		`operation: "cookie.id": want body.<field>`:   func(s *Service) { s.Operation = "cookie.id" },
		`look_up: "GET /charges" names no`:            func(s *Service) { s.LookUp = "GET /charges" },
		`{reference} must stand once, and alone`:      func(s *Service) { s.LookUp = "GET /charges/ref-{reference}" },
		`there is nothing to look up`:                 func(s *Service) { s.Reference = "" },
		`cannot be told from act`:                     func(s *Service) { s.LookUp = "POST /{reference}" },
		`there is nothing to remember`:                func(s *Service) { s.Reference, s.LookUp, s.Remembers = "", "", true },
		`window: is how long`:                         func(s *Service) { s.Window = 1 },
		`look_up: "GET /c?a=%zz": invalid URL escape`: func(s *Service) { s.LookUp = "GET /c?a=%zz" },
	} {
		s := charges
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

func TestRouteMatch(t *testing.T) {
	for _, c := range []struct {
		route        Route
		method, path string
		query        string
		reference    string
		ok           bool
	}{
		{"POST /charges", "POST", "/charges", "", "", true},
		{"POST /charges", "POST", "/charges", "x=1", "", true},
		{"POST /charges", "PUT", "/charges", "", "", false},
		{"POST /charges", "POST", "/charges/", "", "", false},
		{"POST /customers/{id}/charges", "POST", "/customers/7/charges", "", "", true},
		{"POST /customers/{id}/charges", "POST", "/customers//charges", "", "", false},
		{"GET /charges/{reference}", "GET", "/charges/a%2Fb", "", "a/b", true},
		{"GET /charges/{reference}", "GET", "/charges/a/b", "", "", false},
		{"GET /charges?reference={reference}", "GET", "/charges", "reference=a%20b&limit=1", "a b", true},
		{"GET /charges?reference={reference}", "GET", "/charges", "limit=1", "", false},
		{"GET /charges?limit=1&ref={reference}", "GET", "/charges", "ref=a&limit=2", "a", false},
	} {
		p, err := c.route.read()
		if err != nil {
			t.Fatal(err)
		}
		reference, ok := p.match(ask(c.method, c.path+"?"+c.query, "", ""))
		if ok != c.ok || ok && reference != c.reference {
			t.Errorf("%s for %s %s?%s: %q %v", c.route, c.method, c.path, c.query, reference, ok)
		}
	}
}

func TestPlaceRead(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct{ place, kind, body, want string }{
		{"body.ref", "", `{"ref":"a"}`, "a"},
		{"body.order.id", "", `{"order":{"id":12345678901234567890}}`, "12345678901234567890"},
		{"body.order.id", "", `{"order.id":"dots"}`, "dots"},
		{"body.paid", "", `{"paid":true}`, "true"},
		{"body.ref", "", `{"ref":null}`, ""},
		{"body.ref", "", `{"ref":["a"]}`, ""},
		{"body.ref", "", `["a"]`, ""},
		{"body.ref", "", `ref`, ""},
		{"body.metadata[order_id]", form, "amount=1&metadata[order_id]=7", "7"},
		{"body.ref", form, `{"ref":"a"}`, "a"},
		{"header.idempotency-key", "", "", "key"},
		{"query.ref", "", "", "q"},
		{"", "", `{"":"x"}`, ""},
	} {
		p, err := readPlace(c.place)
		if err != nil {
			t.Fatal(err)
		}
		r := ask("POST", "/charges?ref=q", c.kind, c.body)
		r.header.Set("Idempotency-Key", "key")
		if got := p.read(r); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.place, c.body, got, c.want)
		}
	}
}
