package outside

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"sync"

	"github.com/emersion/go-smtp"
)

// MailServer is an SMTP service that runs. A mail is an effect from the moment at
// which the server has read it whole and accepted it: it would be delivered,
// whatever becomes of the reply.
type MailServer struct {
	*Book
	door *door
	plan mailPlan
	smtp *smtp.Server
	once sync.Once
}

// mailPoints are the faults that a mail can meet.
var mailPoints = map[Kind]point{
	Refuse: {atRecipient, 550}, Hold: {atAct, 0}, DropBeforeAct: {atAct, 0},
	Delay: {atAct, 0}, ActThenDrop: {atAct, 0}, ActThenFail: {atAct, 451},
}

// StartMail starts the service on a loopback port of its own.
func StartMail(s MailService) (*MailServer, error) {
	plan, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("outside mail service: %w", err)
	}
	m := &MailServer{Book: newBook(mailPoints), plan: plan}
	m.early = plan.operation.in == "to"
	m.smtp = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: m, conn: c}, nil
	}))
	m.smtp.Domain = "localhost"
	m.smtp.AllowInsecureAuth = true // it is loopback
	m.smtp.ErrorLog = log.New(io.Discard, "", 0)
	m.door, err = openDoor(func(ln net.Listener) { _ = m.smtp.Serve(ln) }) // an error each time: the listener was closed
	if err != nil {
		return nil, fmt.Errorf("listen for the outside mail service: %w", err)
	}
	return m, nil
}

// Addr is the host and port where the service listens.
func (m *MailServer) Addr() string { return m.door.addr.String() }

// Down shuts the port: connections end, and a connect is refused until Up. It has
// seen a connect of its own refused before it returns. A mail that was read whole
// goes on.
func (m *MailServer) Down() error { return m.door.down() }

// Up opens the same port again.
func (m *MailServer) Up() error { return m.door.up() }

// Close ends the service. What waits is dropped. What was kept can still be read.
func (m *MailServer) Close() {
	m.once.Do(func() {
		m.door.close()
		close(m.closed)
	})
	_ = m.smtp.Shutdown(context.Background()) // waits for the connections, which are closed
}
