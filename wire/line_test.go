package wire_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// peer is a service that speaks lines: "add x" keeps x, "slow x" keeps x once
// it is told to, whether or not the client is there, and "poll" waits for the
// client to go.
type peer struct {
	addr  string
	goOn  chan struct{}
	began chan string
	mu    sync.Mutex
	kept  []string
}

func startPeer(t *testing.T) *peer {
	p := &peer{goOn: make(chan struct{}), began: make(chan string, 100)}
	p.addr = listen(t, p.serve)
	return p
}

func (p *peer) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.kept...)
}

func (p *peer) serve(conn net.Conn) {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(conn); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for line := range lines {
		p.act(line, lines)
		fmt.Fprintln(conn, "ok", line)
	}
}

func (p *peer) act(line string, rest <-chan string) {
	verb, what, _ := strings.Cut(line, " ")
	switch verb {
	case "slow":
		p.began <- line
		<-p.goOn
	case "poll":
		p.began <- line
		<-rest
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, what)
}

// proxy is the smallest proxy there is: one line is one request or reply, and a
// step's text is its verb.
func proxy(t *testing.T, g *wire.Gate, p *peer) (addr string) {
	defer t.Cleanup(g.Close) // runs first: a held step ends when the gate shuts
	return listen(t, func(conn net.Conn) {
		client := g.Client(conn)
		defer client.Close()
		dialled, err := net.Dial("tcp", p.addr)
		if err != nil {
			return
		}
		up := g.Upstream(dialled)
		defer up.Close()
		replies := bufio.NewScanner(up)
		for s := bufio.NewScanner(client); s.Scan(); {
			if !cross(g, client, up, replies, s.Text()) {
				return
			}
		}
	})
}

func cross(g *wire.Gate, client *wire.Client, up *wire.Upstream, replies *bufio.Scanner, line string) bool {
	verb, _, _ := strings.Cut(line, " ")
	x, err := g.Enter(client, "line", "peer", verb)
	if err != nil {
		return false
	}
	x.Through(up)
	fmt.Fprintln(up, line)
	if !replies.Scan() {
		up.Close()
		x.Lost("no reply")
		return false
	}
	if x.Reply("ok") != nil {
		return false
	}
	fmt.Fprintln(client, replies.Text())
	return true
}

// listen serves every connection in a goroutine and ends with the test.
func listen(t *testing.T, serve func(net.Conn)) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { defer conn.Close(); serve(conn) })
		}
	})
	t.Cleanup(func() { ln.Close(); all.Wait() })
	return ln.Addr().String()
}

// caller is a worker's connection.
type caller struct {
	net.Conn
	lines *bufio.Scanner
}

func call(t *testing.T, addr string) *caller {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &caller{conn, bufio.NewScanner(conn)}
}

// ask sends a line and gives the reply, or the error that ended the connection.
func (c *caller) ask(line string) (string, error) {
	fmt.Fprintln(c, line)
	return c.reply()
}

func (c *caller) reply() (string, error) {
	if c.lines.Scan() {
		return c.lines.Text(), nil
	}
	return "", c.lines.Err()
}
