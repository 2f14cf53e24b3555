package sqsconsumer

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// hook stands in for one action's round trip; next makes it.
type hook func(r *http.Request, next http.RoundTripper) (*http.Response, error)

// wire is the way to the queue. It keeps which actions went over it, in order.
type wire struct {
	base http.RoundTripper

	mu    sync.Mutex
	hooks map[string]hook
	calls []string
}

func (w *wire) on(action string, h hook) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hooks[action] = h
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.mu.Lock()
	h := w.hooks[action]
	w.calls = append(w.calls, action)
	w.mu.Unlock()
	if h == nil {
		return w.base.RoundTrip(r)
	}
	return h(r, w.base)
}

// handed hands each request to the endpoint without a connection.
type handed struct{ *lab.Endpoint }

func (h handed) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	_ = r.Body.Close()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// made is how often an action was tried.
func (w *wire) made(action string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.calls {
		if c == action {
			n++
		}
	}
	return n
}

// refuse answers without asking the queue.
func refuse(status int, code string) hook {
	return func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return &http.Response{
			StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
			Body:    io.NopCloser(strings.NewReader(`{"__type":"` + code + `","message":"refused by the wire"}`)),
			Request: r,
		}, nil
	}
}

// logBook keeps what was logged.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
	word string
	seen chan struct{}
}

// when closes seen at the first line with the word.
func (b *logBook) when(word string, seen chan struct{}) { b.word, b.seen = word, seen }

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen != nil && bytes.Contains(p, []byte(b.word)) {
		close(b.seen)
		b.seen = nil
	}
	return b.text.Write(p)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

func (r *rig) wantLogged(text string, n int) {
	r.t.Helper()
	if got := strings.Count(r.log.String(), text); got != n {
		r.t.Errorf("logged %d times, want %d: %s\n%s", got, n, text, r.log)
	}
}
