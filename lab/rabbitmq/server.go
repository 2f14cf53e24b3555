package rabbitmq

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/twiceproof/twiceproof/lab/internal/process"
)

// startLimit bounds a start whose context has no earlier deadline: on a loaded
// machine one takes four times as long as on a quiet one.
const startLimit = 2 * time.Minute

// kind is what RabbitMQ's processes need to know of themselves.
var kind = process.Kind{
	Name:      "RabbitMQ",
	Accounts:  []string{"rabbitmq"},
	PIDFile:   "server.pid",
	Complaint: ">   - ", // an item of the list of wrong settings; pages of a crash's report come after it
	PortTaken: []string{"eaddrinuse", "dist_port_already_used"},
}

// Server is one running throw-away RabbitMQ.
type Server struct {
	programs programs
	settings []string
	node     string
	group    *process.Group
	free     ports
}

// Start serves an empty RabbitMQ, with settings as in rabbitmq.conf, such as
// "heartbeat = 2", besides its own. The context bounds the start only: a broker
// that has started runs until Stop, or until the calling process ends. The error
// may be a *NotInstalledError.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	return start(ctx, ports{process.FreePort, process.FreePort}, settings...)
}

// ports find one that is free: for the broker, and for what belongs to it.
type ports struct{ own, inner func() (int, error) }

func start(ctx context.Context, free ports, settings ...string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	programs, err := find(usualPlaces, brokerPlaces)
	if err != nil {
		return nil, fmt.Errorf("start RabbitMQ: %w", err)
	}
	group, err := process.Prepare(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("start RabbitMQ: %w", err)
	}
	s := &Server{programs: programs, settings: settings, node: nodeName(), group: group, free: free}
	if err := s.serve(ctx); err != nil {
		return nil, fmt.Errorf("start RabbitMQ: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

func (s *Server) serve(ctx context.Context) error {
	if err := s.writeSettings(); err != nil {
		return err
	}
	return s.group.Serve(ctx, process.Daemon{
		Program:  "/bin/sh",
		Args:     s.args,
		Answers:  s.answers,
		FreePort: s.free.own,
	})
}

// Restart kills the broker by SIGKILL and starts it again on the same data and
// port. It must not run beside another Restart or Stop.
func (s *Server) Restart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.group.Restart(ctx); err != nil {
		return fmt.Errorf("restart RabbitMQ: %w", err)
	}
	return nil
}

// Stop ends the broker and its epmd at once and removes the folder. Only the first
// call does so; every call returns the same error.
func (s *Server) Stop() error { return s.group.Stop() }

// URL is the address of the virtual host "/": amqp://guest:guest@127.0.0.1:port/.
func (s *Server) URL() string {
	u := url.URL{
		Scheme: "amqp",
		User:   url.UserPassword("guest", "guest"),
		Host:   net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port())),
		Path:   "/",
	}
	return u.String()
}

// Port is the broker's AMQP port on 127.0.0.1.
func (s *Server) Port() int { return s.group.Port }
