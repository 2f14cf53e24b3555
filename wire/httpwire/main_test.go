package httpwire_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// TestMain is the worker process when the test says so, and looks for goroutines
// left behind when it is the test.
func TestMain(m *testing.M) {
	if url := os.Getenv("HTTPWIRE_TEST_WORKER"); url != "" {
		work(url)
	}
	if os.Getenv("HTTPWIRE_TEST_CALL") != "" {
		caller(os.Args[1])
	}
	code := m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Println("goroutines left:\n" + left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft gives them time to end: those of net/http do so on their own.
func goroutinesLeft() (left string) {
	for range 200 {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		_, left, _ = strings.Cut(string(stacks), "\n\n") // the first is this one
		if !strings.Contains(left, "twiceproof") {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
	}
	return left
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

type worker struct {
	cmd  *exec.Cmd
	said *strings.Builder
}

func startWorker(t *testing.T, url string) *worker {
	w := &worker{exec.Command(os.Args[0]), &strings.Builder{}}
	w.cmd.Env = append(os.Environ(), "HTTPWIRE_TEST_WORKER="+url)
	w.cmd.Stdout = w.said
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	return w
}

func (w *worker) kill() {
	syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	w.cmd.Wait()
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
