package httpwire_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What the worker sends and what the peer sends, byte for byte where the bytes
// are theirs: no header is added, none lost, and a compressed body stays so.
func TestBytesPassUnchanged(t *testing.T) {
	const body = "\x00\xff\r\n\r\nHTTP/1.1 no \x1f\x8b"
	got := make(chan string, 1)
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- seen(r)
		w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
		w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Keep-Alive", "timeout=5")
		w.WriteHeader(http.StatusAccepted)
		io.WriteString(w, body)
	}))
	defer peer.Close()
	p, _, _ := start(t, peer.URL)
	sent := "POST /a%2Fb//c?x=1&y=%zz;q HTTP/1.1\r\nHost: sqs.example\r\nX-Amz-Target: T\r\n" +
		"X-Forwarded-For: me\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nTransfer-Encoding: chunked\r\n\r\n" +
		fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	reply := raw(t, p.URL(), sent)
	want := fmt.Sprintf("POST /a%%2Fb//c?x=1&y=%%zz;q sqs.example %d [T] [me] [] [] [] %q", len(body), body)
	if g := <-got; g != want {
		t.Errorf("peer saw\n%s\nwant\n%s", g, want)
	}
	wantReply := fmt.Sprintf("HTTP/1.1 202 Accepted\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n"+
		"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nConnection: close\r\n\r\n%s", len(body), body)
	if reply != wantReply {
		t.Errorf("client saw\n%q\nwant\n%q", reply, wantReply)
	}
}

// seen is what could have been changed on the way.
func seen(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	h := r.Header
	return fmt.Sprintf("%s %s %s %d %s %s %s %s %s %q", r.Method, r.RequestURI, r.Host, r.ContentLength,
		h["X-Amz-Target"], h["X-Forwarded-For"], h["X-Hop"], h["User-Agent"], h["Accept-Encoding"], body)
}

// Replies without a body, one of unknown length, one that others announce, and one that
// comes before the request has been read.
func TestReplyForms(t *testing.T) {
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/none":
			w.WriteHeader(http.StatusNoContent)
		case "/parts":
			io.WriteString(w, strings.Repeat("a", 5000))
			w.(http.Flusher).Flush()
			io.WriteString(w, "b")
		case "/announced":
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusEarlyHints)
			io.WriteString(w, "c")
		case "/early":
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 1\r\n\r\nd")
			io.Copy(io.Discard, conn)
		default:
			w.Header().Set("Content-Length", "7")
		}
	}))
	defer peer.Close()
	p, _, _ := start(t, peer.URL)
	for target, want := range map[string]string{
		"GET /none": "204 0 0", "GET /parts": "200 5001 5001", "HEAD /head": "200 7 0", "GET /announced": "200 1 1", "POST /early": "413 1 1",
	} {
		method, path, _ := strings.Cut(target, " ")
		var body io.Reader
		if method == http.MethodPost {
			body = io.LimitReader(zeros{}, 8<<20)
		}
		req, err := http.NewRequest(method, p.URL()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := fmt.Sprint(resp.StatusCode, resp.ContentLength, len(answer)); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

func TestABodyThatIsTooLargeIsNoStep(t *testing.T) {
	p, _, k := start(t, "http://127.0.0.1:1")
	resp, err := client().Post(p.URL(), "", io.LimitReader(zeros{}, 64<<20+1))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge || len(k.all) != 0 {
		t.Errorf("status %d, events %v", resp.StatusCode, k.all)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// raw sends bytes and gives every byte that comes back.
func raw(t *testing.T, url, sent string) string {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, sent)
	var got bytes.Buffer
	if _, err := got.ReadFrom(conn); err != nil {
		t.Fatal(err)
	}
	return got.String()
}
