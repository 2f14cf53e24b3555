package rabbitmq

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// protocolHeader is what a client of AMQP 0-9-1 says first.
const protocolHeader = "AMQP\x00\x00\x09\x01"

// maxGreeting is far more than Connection.Start says.
const maxGreeting = 64 << 10

// answers looks for the node's name in the broker's first frame, Connection.Start:
// it holds the cluster's name, which begins with it.
func (s *Server) answers(ctx context.Context) error {
	said, err := greeting(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())))
	if err != nil {
		return err
	}
	name, _, _ := bytes.Cut([]byte(s.node), []byte("@"))
	if !bytes.Contains(said, name) {
		return process.ErrPortTaken
	}
	return nil
}

func greeting(ctx context.Context, address string) ([]byte, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, protocolHeader); err != nil {
		return nil, err
	}
	var head [7]byte // type, channel, length
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[3:])
	if head[0] != 1 || n > maxGreeting {
		return nil, fmt.Errorf("the greeting begins with %q", head[:])
	}
	said := make([]byte, n)
	_, err = io.ReadFull(conn, said)
	return said, err
}
