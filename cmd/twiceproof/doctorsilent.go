package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// sourceLimit bounds all that one server is asked. The tests have a shorter one.
var sourceLimit = 10 * time.Second

// ask bounds the reading of one. Where the time was over, the client's own error would say
// so of a step that nobody knows, and not of which server; any other is told by unread.
func ask(ctx context.Context, server, address string, unread func(error) error, read func(context.Context) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceLimit)
	defer cancel()
	is, err := read(ctx)
	switch {
	case err == nil:
		return is, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded): // a socket's clock may be the first
		return "", &hinted.Error{
			What: fmt.Sprintf("%s%s did not answer all questions within %s", server, hostOf(address), sourceLimit),
			Hint: "are host, port and protocol (with or without TLS) the right ones? Then the server is overloaded, or a proxy or firewall before it is silent",
		}
	}
	return "", unread(err)
}

// hostOf an address: all else in it may be secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	if u.Port() == "" {
		return " at " + u.Hostname()
	}
	return " at " + net.JoinHostPort(u.Hostname(), u.Port())
}
