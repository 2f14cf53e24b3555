package outside_test

import (
	"fmt"
	"io"
	"net"
	"net/smtp"
	"strings"
	"sync"
	"testing"

	"github.com/twiceproof/twiceproof/outside"
)

var orders = outside.MailService{Operation: "header.X-Order-Id", Reference: "message_id"}

func startMail(t *testing.T, s outside.MailService) *outside.MailServer {
	t.Helper()
	m, err := outside.StartMail(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// post sends a mail about an order, as a job does.
func post(m *outside.MailServer, id int) error {
	text := fmt.Sprintf("Subject: your order\r\nMessage-ID: <m%d@shop>\r\nX-Order-Id: %d\r\n\r\n.it is on its way\r\n", id, id)
	return smtp.SendMail(m.Addr(), nil, "shop@x", []string{fmt.Sprintf("%d@x", id), "b@x"}, []byte(text))
}

func TestMail(t *testing.T) {
	m := startMail(t, orders)
	if err := post(m, 17); err != nil {
		t.Fatal(err)
	}
	c := m.Calls()
	if len(c) != 1 || m.Count("17") != 1 || m.Count("18") != 0 {
		t.Fatalf("calls %+v", c)
	}
	got := fmt.Sprintf("%d %s %s %s %+v", c[0].Seq, c[0].Effect, c[0].Method, c[0].Reference, *c[0].Mail)
	if got != "1 eff_1 MAIL <m17@shop> {From:shop@x To:[17@x b@x] Subject:your order MessageID:<m17@shop>}" {
		t.Error(got)
	}
	if !strings.HasSuffix(string(c[0].Body), "\r\n\r\n.it is on its way\r\n") {
		t.Errorf("body %q", c[0].Body)
	}
}

// Every fault of a mail: what the client hears, and whether it would be delivered.
func TestFaultsOfAMail(t *testing.T) {
	for _, c := range []struct {
		fault outside.Fault
		hears string
		acts  bool
	}{
		{outside.Fault{Kind: outside.ActThenDrop}, "EOF", true},
		{outside.Fault{Kind: outside.ActThenFail}, "451", true},
		{outside.Fault{Kind: outside.ActThenFail, Status: 554}, "554", true},
		{outside.Fault{Kind: outside.Delay, After: 1}, "", true},
		{outside.Fault{Kind: outside.Hold, After: 1}, "", true},
		{outside.Fault{Kind: outside.Refuse}, "550", false},
		{outside.Fault{Kind: outside.Refuse, Status: 450}, "450", false},
		{outside.Fault{Kind: outside.DropBeforeAct}, "EOF", false},
	} {
		t.Run(string(c.fault.Kind), func(t *testing.T) {
			m := startMail(t, orders)
			c.fault.Nth = 2
			a := arm(t, m.Book, c.fault)
			if err := post(m, 16); err != nil || m.Count("16") != 1 {
				t.Errorf("the control: the mail before it: %v", err)
			}
			if err := post(m, 17); (err == nil) != (c.hears == "") || err != nil && !strings.HasPrefix(err.Error(), c.hears) {
				t.Errorf("heard %v", err)
			}
			fired(t, a, 1)
			calls, refused := m.Calls(), m.Refused()
			switch {
			case c.acts && (len(refused) != 0 || m.Count("17") != 1 || calls[1].Fault != c.fault.Kind):
				t.Errorf("calls %+v, refused %+v", calls, refused)
			case !c.acts && (len(calls) != 1 || len(refused) != 1 || refused[0].Fault != c.fault.Kind):
				t.Errorf("calls %+v, refused %+v", calls, refused)
			}
			if err := post(m, 17); err != nil {
				t.Errorf("the control: the mail after it: %v", err)
			}
		})
	}
}

// A client that dies while the mail is held: with Drop it was killed before the
// effect, with Delay after it. Nothing of it is left to the timing.
func TestKillPointsOfAMail(t *testing.T) {
	m := startMail(t, orders)
	for i, c := range []struct {
		kind    outside.Kind
		effects int
	}{{outside.Hold, 0}, {outside.Delay, 1}} {
		id := fmt.Sprint(i)
		a := arm(t, m.Book, outside.Fault{Kind: c.kind, Operation: id})
		conn := dial(t, m.Addr())
		client, err := smtp.NewClient(conn, "localhost")
		if err != nil {
			t.Fatal(err)
		}
		heard := make(chan error)
		go func() { heard <- write(client, i) }()
		waitFired(t, a, 1)
		conn.Close() // as the kernel does for a process that was killed
		if <-heard == nil {
			t.Error("heard an answer")
		}
		a.Drop()
		if err := m.Wait(t.Context(), func([]outside.Call) bool { return m.Count(id) == c.effects && len(m.Refused()) == 1 }); err != nil {
			t.Error(err)
		}
	}
}

// That the answer is heard after Release and not after Drop shows that it had not
// been sent before.
func TestDelayedAnswerToAMail(t *testing.T) {
	m := startMail(t, orders)
	a := arm(t, m.Book, outside.Fault{Kind: outside.Delay})
	for i, end := range []func(){a.Release, a.Drop} {
		heard := make(chan error)
		go func() { heard <- post(m, i) }()
		waitFired(t, a, i+1)
		end()
		if err := <-heard; (err == nil) != (i == 0) || m.Count(fmt.Sprint(i)) != 1 {
			t.Errorf("mail %d: %v", i, err)
		}
	}
}

func write(client *smtp.Client, id int) error {
	if err := client.Mail("shop@x"); err != nil {
		return err
	}
	if err := client.Rcpt("a@x"); err != nil {
		return err
	}
	w, err := client.Data()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "X-Order-Id: %d\r\n\r\nhello\r\n", id)
	return w.Close()
}

// A recipient that names the operation can be refused by it; otherwise nothing is
// known of a mail when its recipients are named.
func TestRefuseByOperation(t *testing.T) {
	m := startMail(t, outside.MailService{Operation: "to", Pattern: `^(\d+)@`})
	a := arm(t, m.Book, outside.Fault{Kind: outside.Refuse, Operation: "17"})
	if err := post(m, 18); err != nil {
		t.Error(err)
	}
	if err := post(m, 17); err == nil || m.Count("17") != 0 || m.Count("18") != 1 {
		t.Errorf("%v, calls %+v", err, m.Calls())
	}
	fired(t, a, 1)
	if r := m.Refused(); len(r) != 1 || r[0].Method != "RCPT" || r[0].Operation != "17" || r[0].Status != 550 {
		t.Errorf("refused %+v", r)
	}
	if _, err := startMail(t, orders).Arm(outside.Fault{Kind: outside.Refuse, Operation: "17"}); err == nil || !strings.Contains(err.Error(), "not known yet") {
		t.Error(err)
	}
}

// All recipients of a mail are refused as one mail, and it is counted once, also
// on a connection that goes on to the next mail.
func TestRefuseCountsMails(t *testing.T) {
	m := startMail(t, orders)
	a := arm(t, m.Book, outside.Fault{Kind: outside.Refuse, Nth: 1})
	client, err := smtp.Dial(m.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.Mail("shop@x")
	for _, to := range []string{"a@x", "b@x"} {
		if err := client.Rcpt(to); err == nil {
			t.Errorf("%s is not refused", to)
		}
	}
	if _, err := client.Data(); err == nil {
		t.Error("a mail without recipients is taken")
	}
	client.Reset()
	if err := write(client, 17); err != nil || m.Count("17") != 1 {
		t.Errorf("the next mail: %v", err)
	}
	fired(t, a, 1)
}

// A mail that is cut short is none, however it is sent.
func TestMailCutShort(t *testing.T) {
	const begin = "EHLO x\r\nMAIL FROM:<shop@x>\r\nRCPT TO:<a@x>\r\n"
	const data = begin + "DATA\r\nX-Order-Id: 17\r\n\r\nhello\r\n"
	const bdat = begin + "BDAT 16\r\nX-Order-Id: 17\r\n"
	for _, c := range []struct {
		sent    string
		effects int
	}{
		{data, 0},
		{data + ".\r\n", 1}, // the control
		{bdat, 0},
		{bdat + "RSET\r\n", 0},
		{bdat + "BDAT 2 LAST\r\n\r\n", 1},
	} {
		m := startMail(t, orders)
		conn := dial(t, m.Addr())
		fmt.Fprint(conn, c.sent)
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn) // until the server is done with it
		if m.Count("17") != c.effects {
			t.Errorf("%q: calls %+v", c.sent, m.Calls())
		}
	}
}

// Mails at once have an order, and each is there before its reply.
func TestMailsAtOnce(t *testing.T) {
	m := startMail(t, orders)
	var all sync.WaitGroup
	for id := range 30 {
		all.Go(func() {
			if err := post(m, id); err != nil || m.Count(fmt.Sprint(id)) != 1 {
				t.Errorf("mail %d: %v", id, err)
			}
		})
	}
	all.Wait()
	for i, c := range m.Calls() {
		if c.Seq != i+1 {
			t.Errorf("call %d is %+v", i, c)
		}
	}
}

// Everybody may log in, with either of the mechanisms that libraries use.
func TestLogin(t *testing.T) {
	m := startMail(t, orders)
	if err := smtp.SendMail(m.Addr(), smtp.PlainAuth("", "user", "secret", "127.0.0.1"), "shop@x", []string{"a@x"}, []byte("X-Order-Id: 17\r\n\r\n")); err != nil {
		t.Error(err)
	}
	client, err := smtp.Dial(m.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Auth(login{}); err != nil {
		t.Error(err)
	}
	if err := write(client, 18); err != nil || m.Count("17") != 1 || m.Count("18") != 1 {
		t.Errorf("%v, calls %+v", err, m.Calls())
	}
}

type login struct{}

func (login) Start(*smtp.ServerInfo) (string, []byte, error) { return "LOGIN", nil, nil }

func (login) Next(asked []byte, more bool) ([]byte, error) {
	if !more {
		return nil, nil
	}
	return []byte("answer to " + string(asked)), nil
}

func TestCloseDropsAHeldMail(t *testing.T) {
	m := startMail(t, orders)
	a := arm(t, m.Book, outside.Fault{Kind: outside.Hold})
	heard := make(chan error)
	go func() { heard <- post(m, 17) }()
	waitFired(t, a, 1)
	m.Close()
	if <-heard == nil || len(m.Calls()) != 0 || len(m.Refused()) != 1 {
		t.Errorf("calls %+v, refused %+v", m.Calls(), m.Refused())
	}
}

func TestStartRefusesAMailService(t *testing.T) {
	if _, err := outside.StartMail(outside.MailService{Operation: "x"}); err == nil || !strings.HasPrefix(err.Error(), "outside mail service: operation:") {
		t.Error(err)
	}
}
