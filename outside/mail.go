package outside

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"net/textproto"
	"regexp"
	"strings"
)

// MailService is how mails are read, as the user's replay file says.
type MailService struct {
	// Operation is where a mail names the operation: "header.<name>", "subject",
	// "message_id", "to" or "from" (of the envelope; of several recipients the
	// first), or "body" (its text parts, decoded). Empty: it is not named.
	Operation string
	// Pattern is a regular expression with one group that finds the operation in
	// that place. Empty: it is the whole of it.
	Pattern string
	// Reference is where a mail carries its reference, such as
	// "header.Idempotency-Key". Empty: it carries none.
	Reference string
}

// Mail is what a mail says of itself, and its envelope.
type Mail struct {
	From               string
	To                 []string
	Subject, MessageID string
}

// Validate says what is wrong, field by field.
func (s MailService) Validate() error {
	_, err := s.read()
	return err
}

// mailPlan is a service with its texts read.
type mailPlan struct {
	operation, reference mailPlace
	pattern              *regexp.Regexp
}

// mailPlace is a place in a mail. The zero value is nowhere.
type mailPlace struct{ in, name string }

func (s MailService) read() (p mailPlan, err error) {
	if p.operation, err = readMailPlace(s.Operation); err != nil {
		return p, fmt.Errorf("operation: %w", err)
	}
	if p.reference, err = readMailPlace(s.Reference); err != nil {
		return p, fmt.Errorf("reference: %w", err)
	}
	switch {
	case p.reference.in == "body":
		return p, errors.New("reference: body: it is not picked out of the text by a pattern")
	case s.Pattern == "" && p.operation.in == "body":
		return p, errors.New("pattern: is missing, and the whole body names no operation")
	case s.Pattern == "":
		return p, nil
	case s.Operation == "":
		return p, errors.New("pattern: needs a place to look in: operation is missing")
	}
	if p.pattern, err = regexp.Compile(s.Pattern); err != nil {
		return p, fmt.Errorf("pattern: %w", err)
	}
	if p.pattern.NumSubexp() != 1 {
		return p, fmt.Errorf("pattern: %q: want one group", s.Pattern)
	}
	return p, nil
}

func readMailPlace(text string) (mailPlace, error) {
	switch in, name, _ := strings.Cut(text, "."); {
	case in == "header" && name != "":
		return mailPlace{in, textproto.CanonicalMIMEHeaderKey(name)}, nil
	case text == "", text == "subject", text == "message_id", text == "to", text == "from", text == "body":
		return mailPlace{in: text}, nil
	}
	return mailPlace{}, fmt.Errorf("%q: want header.<name>, subject, message_id, to, from or body", text)
}

// letter is a mail read whole. What cannot be read of it is empty.
type letter struct {
	Mail
	header mail.Header
	body   []byte
	whole  []byte
}

func readLetter(from string, to []string, whole []byte) letter {
	l := letter{Mail: Mail{From: from, To: to}, whole: whole}
	m, err := mail.ReadMessage(bytes.NewReader(whole))
	if err != nil {
		return l
	}
	l.header = m.Header
	l.body, _ = io.ReadAll(m.Body) // it is in memory
	l.Subject, l.MessageID = l.headerText("Subject"), l.headerText("Message-Id")
	return l
}

func (l letter) headerText(name string) string {
	text := l.header.Get(name)
	if decoded, err := new(mime.WordDecoder).DecodeHeader(text); err == nil {
		return decoded
	}
	return text
}

func (p mailPlace) read(l letter) string {
	switch p.in {
	case "header":
		return l.headerText(p.name)
	case "subject":
		return l.Subject
	case "message_id":
		return l.MessageID
	case "from":
		return l.From
	case "to":
		return l.To[0]
	case "body":
		return bodyText(textproto.MIMEHeader(l.header), l.body)
	}
	return ""
}

func (p mailPlan) hear(l letter) heard {
	return heard{at: atAct, reference: p.reference.read(l), operation: p.operationIn(l)}
}

// operationIn is the operation that a mail names, and "" when it names none.
func (p mailPlan) operationIn(l letter) string {
	text := p.operation.read(l)
	if p.pattern == nil {
		return text
	}
	if found := p.pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// answer is the healthy answer: the mail is accepted. Pure.
func (p mailPlan) answer(m moment, h heard, l letter) answer {
	c := Call{
		Seq: len(m.calls) + 1, At: m.now, Method: "MAIL", Reference: h.reference, Operation: h.operation,
		Body: l.whole, Mail: &l.Mail,
	}
	c.Effect = fmt.Sprintf("eff_%d", c.Seq)
	return answer{call: &c, status: 250}
}
