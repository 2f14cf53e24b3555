package outside

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ask is a request read whole.
func ask(method, target, kind, body string) request {
	r := httptest.NewRequest(method, target, nil)
	r.Header.Set("Content-Type", kind)
	return request{method: method, path: r.URL.EscapedPath(), query: r.URL.Query(), header: r.Header, body: []byte(body)}
}

// talk asks one after the other and gives the replies as text.
func talk(t *testing.T, s Service, requests ...request) (replies []string, calls []Call) {
	p, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		a := p.answer(moment{calls: calls, known: calls}, p.hear(r), r)
		if a.call != nil {
			calls = append(calls, *a.call)
		}
		replies = append(replies, fmt.Sprint(a.status, " ", string(a.body)))
	}
	return replies, calls
}

func post(body string) request { return ask("POST", "/charges", "application/json", body) }

func TestAnswer(t *testing.T) {
	got, calls := talk(t, charges,
		ask("GET", "/charges/r1", "", ""),
		post(`{"order_id":17,"amount":9.10,"reference":"r1"}`),
		post(`{"order_id":"17","reference":"r1"}`),
		ask("GET", "/charges/r1", "", ""),
		post(`{"id":"mine"}`),
		post(`not json`),
		ask("GET", "/charges", "", ""),
	)
	want := []string{
		`404 {"error":"not found"}`,
		`201 {"amount":9.10,"id":"eff_1","order_id":17,"reference":"r1"}`,
		`201 {"id":"eff_2","order_id":"17","reference":"r1"}`,
		`200 {"amount":9.10,"id":"eff_1","order_id":17,"reference":"r1"}`,
		`201 {"id":"eff_3","reference":""}`,
		`201 {"id":"eff_4","reference":""}`,
		`501 {"error":"not implemented"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if Count(calls, "17") != 2 || Count(calls, "") != 2 || Count(calls, "18") != 0 {
		t.Errorf("calls %+v", calls)
	}
}

// A service that remembers: the second call is in the list and is no effect.
// Calls without a reference have nothing in common. TestAnswer is the control.
func TestRemembers(t *testing.T) {
	s := charges
	s.Remembers = true
	got, calls := talk(t, s,
		post(`{"order_id":17,"reference":"r1"}`), post(`{"order_id":17,"reference":"r1"}`),
		post(`{"order_id":18}`), post(`{"order_id":18}`))
	if got[1] != got[0] || len(calls) != 4 || Count(calls, "17") != 1 || Count(calls, "18") != 2 {
		t.Errorf("replies %q, calls %+v", got, calls)
	}
}

// A call with two objects, one a line, is of no single operation. Space around one is none of it.
func TestOneObjectACall(t *testing.T) {
	_, calls := talk(t, charges, post("{\"order_id\":17}\n{\"order_id\":18}"), post(`{"order_id":17}]`), post(" {\"order_id\":17}\r\n"))
	if calls[0].Operation != "" || calls[1].Operation != "" || calls[2].Operation != "17" {
		t.Errorf("calls %+v", calls)
	}
}

// Nobody has the empty reference, although calls without one were made.
func TestLookUpOfNoReference(t *testing.T) {
	s := charges
	s.LookUp = "GET /charges?reference={reference}"
	got, _ := talk(t, s, post(`{}`), ask("GET", "/charges?reference=", "", ""))
	if got[1] != `404 {"error":"not found"}` {
		t.Errorf("found %s", got[1])
	}
}

func TestServiceThatCannotBeAsked(t *testing.T) {
	p, err := Service{Act: "POST /charges"}.read()
	if err != nil {
		t.Fatal(err)
	}
	r := ask("GET", "/charges/r1", "", "")
	a := p.answer(moment{}, p.hear(r), r)
	if a.status != http.StatusNotImplemented || a.unexpected == nil || a.lookUp != nil {
		t.Errorf("%+v", a)
	}
	if _, known := p.points()[Lag]; known {
		t.Error("it has faults of a look-up")
	}
}
