package httpwire_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// A worker that takes HTTP/2 for granted is told so by nobody but the record.
func TestHTTP2IsNotSpoken(t *testing.T) {
	u := startUpstream(t)
	p, _, k := start(t, u.URL)
	for want, granted := range []bool{true, false} {
		c := client()
		c.Transport.(*http.Transport).Protocols = &http.Protocols{}
		c.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(granted)
		c.Transport.(*http.Transport).Protocols.SetHTTP1(!granted)
		if err := <-get(c, p.URL()+"/charges"); (err == nil) == granted || u.count("GET /charges") != want {
			t.Errorf("HTTP/2 %t: %v, %d calls", granted, err, u.count("GET /charges"))
		}
		c.CloseIdleConnections()
	}
	if n := k.count("", wire.Unreadable); n != 1 || k.count("PRI *", wire.Request) != 0 {
		t.Errorf("recorded %d times", n)
	}
}

func TestRefuse(t *testing.T) {
	u := startUpstream(t)
	calls := make(chan string, 10)
	p, err := httpwire.Refuse(func(method, target string) { calls <- method + " " + target })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	proxy, _ := url.Parse(p.URL())
	c := client()
	c.Transport.(*http.Transport).Proxy = http.ProxyURL(proxy)

	host := strings.TrimPrefix(u.URL, "http://")
	resp, err := c.Get("http://user:secret@" + host + "/charges?key=secret")
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(said), "lets no call out") {
		t.Errorf("%d %s", resp.StatusCode, said)
	}
	if err := <-get(c, "https://api.example.com/charges"); err == nil {
		t.Error("CONNECT was let through")
	}
	got := []string{<-calls, <-calls}
	if want := []string{"GET " + u.URL + "/charges", "CONNECT api.example.com:443"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	if u.count("GET /charges") != 0 {
		t.Error("the service was called")
	}
	if err := <-get(client(), u.URL+"/charges"); err != nil || u.count("GET /charges") != 1 {
		t.Error("the control did not call the service") // without the proxy it is
	}
}
