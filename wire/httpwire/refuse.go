package httpwire

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/twiceproof/twiceproof/wire"
)

// Refuse starts a listener for a worker's HTTP_PROXY and HTTPS_PROXY. It lets no
// call out: it answers everything with 502 and records it, so that an address
// written into the worker's code is never called by a replay. The target it
// records has no password and no query.
func Refuse(record func(method, target string)) (*Proxy, error) {
	p := &Proxy{gate: wire.NewGate(nil)}
	err := p.start(p.gate, func(w http.ResponseWriter, r *http.Request) { refuse(w, r, record) })
	if err != nil {
		return nil, fmt.Errorf("listen for calls that must not go out: %w", err)
	}
	return p, nil
}

func refuse(w http.ResponseWriter, r *http.Request, record func(method, target string)) {
	target := targetOf(r)
	record(r.Method, target)
	w.Header().Set("Connection", "close")
	http.Error(w, refusal(r.Method, target), http.StatusBadGateway)
}

func refusal(method, target string) string {
	return fmt.Sprintf("This replay lets no call out: %s %s is not one of its services. "+
		"Set the worker's address of that service to the replay's stand-in.", method, target)
}

func targetOf(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return r.Host
	}
	return (&url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath}).String()
}
