package replay

import (
	"reflect"
	"testing"

	"github.com/twiceproof/twiceproof/replay/judge"
)

func TestSecretsAreHidden(t *testing.T) {
	s := newSecrets([]string{
		"STRIPE_API_KEY=sk_live_0815", "GitHub_Token=ghp_4711", "NEXT_SECRET=sk_live_0815_and_more", "DB_PASSWORD=p&ss\"w\\rd",
		"PEM_KEY=-----BEGIN\nMIIEvQIBADANBg\n-----END", "DATABASE_URL=postgres://shop:at%40home@127.0.0.1/shop", "BROKER=amqp://guest:a@b@127.0.0.1",
		"PLAIN=visible", "PWD=/srv/shop", "USE_TOKEN=true", "MAX_TOKENS=4096", "KEY=", "SHORT_KEY=abc",
	}, map[string]string{"DSN": "host=127.0.0.1 password='two words' user=shop", "SIGNING_SECRET": "0123456789"})
	for text, want := range map[string]string{
		"key sk_live_0815.":                      "key ***.",
		"sk_live_0815_and_more":                  "***", // not the shorter one and a rest
		"token=ghp_4711&x=1":                     "token=***&x=1",
		`{"password":"p\u0026ss\"w\\rd"}`:        `{"password":"***"}`,
		"GET /?p=p%26ss%22w%5Crd":                "GET /?p=***",
		"as p&ss\"w\\rd is":                      "as *** is",
		"key: MIIEvQIBADANBg":                    "key: ***",
		"connect at@home or at%40home":           "connect *** or ***",
		"amqp://guest:a@b@127.0.0.1":             "amqp://guest:***@127.0.0.1",
		"with 'two words'":                       "with '***'",
		"0123456789":                             "***",
		"redis://:anything@cache.example:6379/0": "redis://:***@cache.example:6379/0",
		"mysql://root:unknown@db/shop?tls=1 and": "mysql://root:***@db/shop?tls=1 and",
		"host=db password=unknown user=shop":     "host=db password=*** user=shop",
		"PASSWORD='not known' x":                 "PASSWORD=*** x",
		"visible /srv/shop true 4096 abc":        "visible /srv/shop true 4096 abc",
		"http://127.0.0.1:8080/a@b 12:30 x@y":    "http://127.0.0.1:8080/a@b 12:30 x@y",
		"UPDATE r SET claim_token = $2":          "UPDATE r SET claim_token = $2",
		"":                                       "",
	} {
		if got := s.hide(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestSecretsInAHistory(t *testing.T) {
	s := newSecrets([]string{"API_KEY=replay-1"}, nil)
	got := s.hideIn([]judge.Event{{Event: judge.EventStep, Operation: "replay-1", Worker: "A", Step: "outside GET /?k=replay-1", Detail: "200 replay-1"}})
	want := []judge.Event{{Event: judge.EventStep, Operation: "replay-1", Worker: "A", Step: "outside GET /?k=***", Detail: "200 ***"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
