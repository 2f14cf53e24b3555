package bench_test

import (
	"io"
	"net"
	"regexp"
	"testing"
	"time"
)

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// slow is the same database behind a line with that round trip.
func (p place) slow(b *testing.B, dsn string, roundTrip time.Duration) string {
	b.Helper()
	if roundTrip == 0 {
		return dsn
	}
	server := address.FindString(dsn)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || server == "" {
		b.Fatal(err, dsn)
	}
	b.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go line(client, server, roundTrip/2)
		}
	}()
	return address.ReplaceAllLiteralString(dsn, listener.Addr().String())
}

func line(client net.Conn, server string, delay time.Duration) {
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		_ = client.Close()
		return
	}
	go late(upstream, client, delay)
	late(client, upstream, delay)
}

type piece struct {
	due   time.Time
	bytes []byte
}

// late passes each piece on when it has been under way for that long. What is sent
// meanwhile is under way at the same time, as on a real line.
func late(to, from net.Conn, delay time.Duration) {
	way := make(chan piece, 1024)
	go func() {
		defer close(way)
		for {
			buffer := make([]byte, 16<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				way <- piece{time.Now().Add(delay), buffer[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range way {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.bytes); err != nil {
			break
		}
	}
	_ = to.Close()
	_, _ = io.Copy(io.Discard, from)
}
