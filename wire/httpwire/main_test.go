package httpwire_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// TestMain is the worker process when the test says so, and looks for goroutines
// left behind when it is the test.
func TestMain(m *testing.M) {
	if os.Getenv("HTTPWIRE_TEST_CALL") != "" {
		caller(os.Args[1])
	}
	os.Exit(wiretest.Main(m, work))
}

// work is a worker that polls and charges for ever, and says what it hears.
func work(url string) {
	go http.Get(url + "/poll")
	for {
		resp, err := http.Post(url+"/charges", "application/json", strings.NewReader("{}"))
		if err == nil {
			resp.Body.Close()
		}
		fmt.Println(resp != nil, err)
	}
}

// upstream is a real server that counts what it has served to the end.
type upstream struct {
	*httptest.Server
	began  chan string
	goOn   chan struct{}
	mu     sync.Mutex
	served []string
}

// startUpstream serves /poll until the client goes, /slow when it is told to,
// whether or not the client is there, and anything else at once.
func startUpstream(t testing.TB) *upstream {
	u := &upstream{began: make(chan string, 100), goOn: make(chan struct{})}
	u.Server = httptest.NewServer(http.HandlerFunc(u.serve))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/poll":
		u.began <- r.URL.Path
		<-r.Context().Done()
	case "/slow":
		u.began <- r.URL.Path
		<-u.goOn
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.served = append(u.served, r.Method+" "+r.URL.Path)
	w.WriteHeader(http.StatusCreated)
}

func (u *upstream) count(what string) (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, s := range u.served {
		if s == what {
			n++
		}
	}
	return n
}

// start gives a proxy in front of url, and the events of its gate.
func start(t testing.TB, url string) (*httpwire.Proxy, *wire.Gate, *events) {
	k := &events{}
	g := wire.NewGate(k.record)
	p, err := httpwire.Listen(g, "outside", url, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); g.Close() })
	return p, g, k
}

type events struct {
	mu  sync.Mutex
	all []wire.Event
}

func (k *events) record(e wire.Event) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, e)
}

// forget lets go of the events, or those of a benchmark pile up.
func (k *events) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = nil
}

func (k *events) count(text string, p wire.Phase) (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.all {
		if e.Step.Text == text && e.Phase == p {
			n++
		}
	}
	return n
}

func text(s string) func(wire.Step) bool {
	return func(step wire.Step) bool { return step.Text == s }
}

// client makes one connection a request, so that it never sends twice itself.
func client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}
