package httpwire_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/httpwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

const (
	ours   = "https://payments.example/charges"
	plain  = "http://payments.example/charges"
	others = "https://other.example/charges"
)

// stand is an upstream that stands for payments.example, and what was refused.
type stand struct {
	*upstream
	gate *wire.Gate
	http *httpwire.Stand
	ca   string

	mu      sync.Mutex
	refused []string
}

func startStand(t *testing.T) *stand {
	s := &stand{upstream: startUpstream(t)}
	authority, ca := wiretest.Authority(t)
	s.ca = ca
	p, g, _ := start(t, s.URL)
	s.gate = g
	secure := func(host string) *tls.Config { return authority.Config(host, "http/1.1") }
	var err error
	if s.http, err = p.StandFor([]string{"Payments.example"}, secure, s.refuse); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.http.Close)
	return s
}

func (s *stand) refuse(method, target string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = append(s.refused, method+" "+target)
}

func (s *stand) wasRefused() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.refused, "\n")
}

// environment is that of a worker; ca may be another authority's.
func (s *stand) environment(ca string) []string {
	return append(os.Environ(),
		"HTTP_PROXY="+s.http.URL(), "http_proxy="+s.http.URL(), "HTTPS_PROXY="+s.http.URL(), "https_proxy="+s.http.URL(),
		"SSL_CERT_FILE="+ca, "REQUESTS_CA_BUNDLE="+ca, "CURL_CA_BUNDLE="+ca)
}

const (
	urllibScript = `
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1], data=b"{}", timeout=30) as r: print(r.status)`
	requestsScript = `
import sys, requests
s = requests.Session()
for _ in range(2): print(s.post(sys.argv[1], json={}, timeout=30).status_code)`
	urllib3Script = `
import os, ssl, sys, urllib3
p = urllib3.ProxyManager(os.environ["HTTPS_PROXY"], ssl_context=ssl.create_default_context(), retries=False)
print(p.request("POST", sys.argv[1], body=b"{}").status)`
	netHTTPScript = `
require "net/http"
r = Net::HTTP.post(URI(ARGV[0]), "{}")
puts r.code`
)

// callers call an address once, but for requests, which calls twice over one connection.
func callers() map[string]func(t *testing.T) []string {
	return map[string]func(t *testing.T) []string{
		"Go":        func(*testing.T) []string { return []string{os.Args[0]} },
		"urllib":    func(t *testing.T) []string { return []string{wiretest.Python(t, "urllib"), "-c", urllibScript} },
		"urllib3":   func(t *testing.T) []string { return []string{wiretest.Python(t, "urllib3"), "-c", urllib3Script} },
		"requests":  func(t *testing.T) []string { return []string{requestsPython(t), "-c", requestsScript} },
		"Net::HTTP": func(t *testing.T) []string { return []string{wiretest.Ruby(t, "net/http"), "-e", netHTTPScript} },
		"curl": func(t *testing.T) []string {
			wiretest.Needs(t, "curl", "--version")
			return []string{"curl", "-sS", "-w", "%{http_code}", "-d", "{}"}
		},
		"curl, by a tunnel always": func(t *testing.T) []string {
			wiretest.Needs(t, "curl", "--version")
			return []string{"curl", "-sS", "-w", "%{http_code}", "-d", "{}", "--proxytunnel"}
		},
	}
}

// requestsPython is the system's: the project's own has no requests.
func requestsPython(t *testing.T) string {
	wiretest.Needs(t, "python3", "-c", "import requests")
	return "python3"
}

func (s *stand) call(command []string, url, ca string) (string, error) {
	cmd := exec.Command(command[0], append(command[1:len(command):len(command)], url)...)
	cmd.Env = append(s.environment(ca), "HTTPWIRE_TEST_CALL=yes")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// caller is the client of Go.
func caller(url string) {
	resp, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	resp.Body.Close()
	fmt.Println(resp.StatusCode)
	os.Exit(0)
}

// Every client's call of the host reaches the peer, within TLS and without; one of another
// host does not, and one that does not trust the authority makes none.
func TestStand(t *testing.T) {
	for name, commandOf := range callers() {
		t.Run(name, func(t *testing.T) {
			command := commandOf(t)
			calls := 1
			if name == "requests" {
				calls = 2
			}
			s := startStand(t)
			for n, url := range []string{ours, plain} {
				out, err := s.call(command, url, s.ca)
				if err != nil || !strings.Contains(out, "201") || s.count("POST /charges") != (n+1)*calls {
					t.Errorf("%s: %v: %s, %d charges", url, err, out, s.count("POST /charges"))
				}
			}
			if refused := s.wasRefused(); refused != "" || s.http.WhyUnsecured() != nil {
				t.Errorf("refused %s; the stand says %v", refused, s.http.WhyUnsecured())
			}
			s.call(command, others, s.ca)
			if refused := s.wasRefused(); !strings.Contains(refused, "CONNECT other.example:443") {
				t.Errorf("refused %s", refused)
			}
			_, foreign := wiretest.Authority(t)
			if out, err := s.call(command, ours, foreign); err == nil {
				t.Errorf("another authority is trusted: %s", out)
			}
			if refused := (*wire.TLSError)(nil); !errors.As(wiretest.WhyUnsecured(s.http), &refused) {
				t.Errorf("the stand says %v", s.http.WhyUnsecured())
			}
			if got := s.count("POST /charges"); got != 2*calls {
				t.Errorf("%d charges", got)
			}
		})
	}
}

// A kill strikes within TLS where it strikes in clear text: before, the service has nothing;
// after, it has the charge, and the worker has not heard.
func TestKillWithinTLS(t *testing.T) {
	for side, want := range map[wire.Side]int{wire.Before: 0, wire.After: 1} {
		s := startStand(t)
		cmd, said := exec.Command(os.Args[0], ours), &strings.Builder{}
		cmd.Env, cmd.Stdout = append(s.environment(s.ca), "HTTPWIRE_TEST_CALL=yes"), said
		started := make(chan struct{})
		a := s.gate.Arm(wire.Fault{Match: text("POST /charges"), Side: side, Do: wire.Kill, Kill: func() {
			<-started
			cmd.Process.Kill()
			cmd.Wait()
		}})
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		close(started)
		<-a.Fired()
		if err := s.gate.Quiet(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.count("POST /charges"); got != want || said.Len() > 0 {
			t.Errorf("%s: %d charges, want %d; the worker says %q", side, got, want, said)
		}
		if refused := s.wasRefused(); refused != "" {
			t.Errorf("%s: refused %s", side, refused)
		}
	}
}

// A tunnel has TLS in it or clear text, and one that is open ends with its stand.
func TestTunnels(t *testing.T) {
	s := startStand(t)
	connect := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.http.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		io.WriteString(conn, "CONNECT PAYMENTS.example.:443 HTTP/1.1\r\nHost: PAYMENTS.example.:443\r\n\r\n")
		answer := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))
		if _, err := io.ReadFull(conn, answer); err != nil {
			t.Fatalf("%v: %q", err, answer)
		}
		return conn
	}
	clear := connect()
	io.WriteString(clear, "POST /charges HTTP/1.1\r\nHost: payments.example\r\nConnection: close\r\n\r\n")
	if heard, err := io.ReadAll(clear); err != nil || !strings.HasPrefix(string(heard), "HTTP/1.1 201 ") || s.count("POST /charges") != 1 || s.http.WhyUnsecured() != nil {
		t.Errorf("%v: %q; %d charges; the stand says %v", err, heard, s.count("POST /charges"), s.http.WhyUnsecured())
	}
	open := connect()
	secured := tls.Client(connect(), &tls.Config{InsecureSkipVerify: true})
	if err := secured.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.http.Close()
	for _, conn := range []net.Conn{open, secured} {
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Error("a tunnel is still open")
		}
	}
	if err := s.http.WhyUnsecured(); err != nil || s.count("POST /charges") != 1 {
		t.Errorf("of a tunnel that said nothing: %v, %d charges", err, s.count("POST /charges"))
	}
}
