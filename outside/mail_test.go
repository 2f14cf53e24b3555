package outside

import (
	"strings"
	"testing"
)

const multi = "Subject: =?utf-8?q?Best=C3=A4tigung_17?=\r\n" +
	"Message-ID: <m17@shop>\r\nX-Order-Id: 17\r\n" +
	"Content-Type: multipart/alternative; boundary=b\r\n\r\n" +
	"--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nT3JkZXIgbm8u\r\nIDE3IGlz\r\n" +
	"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Inv=\r\noice 4711</p>\r\n" +
	"--b\r\nContent-Type: application/pdf\r\n\r\nno. 99\r\n--b--\r\n"

func TestMailPlaces(t *testing.T) {
	for _, c := range []struct{ place, pattern, whole, want string }{
		{"header.x-order-id", "", multi, "17"},
		{"header.X-Other", "", multi, ""},
		{"subject", "", multi, "Bestätigung 17"},
		{"subject", `(\d+)$`, multi, "17"},
		{"subject", `order (\d+)`, multi, ""},
		{"message_id", "", multi, "<m17@shop>"},
		{"to", "", multi, "a@x"},
		{"to", `^(.+)@`, multi, "a"},
		{"from", "", multi, "shop@x"},
		{"body", `no\. (\d+)`, multi, "17"},
		{"body", `Invoice (\d+)`, multi, "4711"},
		{"body", `(99)`, multi, ""},
		{"body", `no (\d+)`, "Subject: x\r\n\r\norder no 5\r\n", "5"},
		{"body", `(9)`, "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n9", ""},
		{"subject", "", "no header at all", ""},
		{"to", "", "no header at all", "a@x"},
		{"", "", multi, ""},
	} {
		p, err := MailService{Operation: c.place, Pattern: c.pattern}.read()
		if err != nil {
			t.Fatal(err)
		}
		if got := p.operationIn(readLetter("shop@x", []string{"a@x", "b@x"}, []byte(c.whole))); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.place, c.pattern, got, c.want)
		}
	}
}

func TestValidateMailService(t *testing.T) {
	for want, s := range map[string]MailService{
		`operation: "headers.x": want header.<name>`: {Operation: "headers.x"},
		`operation: "header.": want header.<name>`:   {Operation: "header."},
		`reference: "id": want header.<name>`:        {Reference: "id"},
		`reference: body: it is not picked`:          {Reference: "body"},
		`pattern: is missing`:                        {Operation: "body"},
		`operation is missing`:                       {Pattern: "(x)"},
		`pattern: error parsing regexp`:              {Operation: "subject", Pattern: "("},
		`want one group`:                             {Operation: "subject", Pattern: "x"},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
	if err := (MailService{}).Validate(); err != nil {
		t.Error(err)
	}
}
