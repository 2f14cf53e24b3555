package outside

import (
	"io"

	"github.com/emersion/go-smtp"
)

// session is one client's conversation.
type session struct {
	server *MailServer
	conn   *smtp.Conn
	from   string
	to     []string
	judged bool   // the fault of this mail's recipients is decided
	refuse answer // what it is
}

// Reset begins the next mail.
func (s *session) Reset() { s.from, s.to, s.judged, s.refuse = "", nil, false, answer{} }

// Logout ends the conversation.
func (s *session) Logout() error { return nil }

// Mail takes the sender.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return nil
}

// Rcpt takes a recipient, or refuses all of the mail's.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if !s.judged {
		s.judged = true
		s.refuse = s.server.recipient(letter{Mail: Mail{From: s.from, To: []string{to}}})
	}
	if s.refuse.refused != nil {
		return answered(s.refuse.status)
	}
	s.to = append(s.to, to)
	return nil
}

// recipient is what the service makes of a mail's first recipient: nothing, or a
// refusal.
func (m *MailServer) recipient(l letter) answer {
	h := heard{at: atRecipient}
	if m.early {
		h.operation = m.plan.operationIn(l)
	}
	return m.serve(h, nil, func(now moment) answer {
		if now.fault.Kind == "" {
			return answer{}
		}
		c := Call{At: now.now, Method: "RCPT", Path: l.To[0], Operation: h.operation}
		return answer{call: &c}
	})
}

// Data reads the mail and accepts it. A mail that is cut short is none.
func (s *session) Data(r io.Reader) error {
	whole, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	l := readLetter(s.from, s.to, whole)
	h := s.server.plan.hear(l)
	a := s.server.serve(h, nil, func(m moment) answer { return s.server.plan.answer(m, h, l) })
	if a.then == drop {
		s.conn.Conn().Close()
	}
	return answered(a.status)
}

// answered is a status as the library wants it.
func answered(status int) error {
	if status == 250 {
		return nil
	}
	return &smtp.SMTPError{Code: status, EnhancedCode: smtp.EnhancedCode{status / 100, 0, 0}, Message: "no"}
}
