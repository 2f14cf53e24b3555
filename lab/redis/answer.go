package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// maxInfo is far more than INFO says.
const maxInfo = 1 << 20

var errLoading = errors.New("the server is reading its data back")

// answers asks for the settings file, which no other server has.
func (s *Server) answers(ctx context.Context) error {
	said, err := info(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())))
	switch {
	case err != nil:
		return err
	case !strings.Contains(said, "\r\nconfig_file:"+s.group.Path(settingsFile)+"\r\n"):
		return process.ErrPortTaken
	case !strings.Contains(said, "\r\nloading:0\r\n"):
		return errLoading
	}
	return nil
}

// info is the server's answer to INFO: lines of "name:value".
func info(ctx context.Context, address string) (string, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp4", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, "INFO\r\n"); err != nil {
		return "", err
	}
	r := bufio.NewReader(conn)
	head, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	length, isBulk := strings.CutPrefix(strings.TrimSpace(head), "$")
	n, err := strconv.Atoi(length)
	if !isBulk || err != nil || n < 0 || n > maxInfo {
		return "", fmt.Errorf("INFO was answered with %q", head)
	}
	said := make([]byte, n)
	_, err = io.ReadFull(r, said)
	return string(said), err
}
