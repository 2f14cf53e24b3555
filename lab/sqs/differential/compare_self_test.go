package differential_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/lab/sqs"
)

// Controls of the comparison itself: what it must notice.

const made = `
== made
create q
send q a
= m1
receive q
= m1:a n=1 r1
moto/query: none [known]
delete q r1
moto: Gone [known]
`

func readMade(t *testing.T, text string) []*scenario {
	t.Helper()
	all, err := readScenarios("made.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCompareNotices(t *testing.T) {
	moto := emulator{name: "moto", protocols: []protocol{jsonProtocol, queryProtocol}}
	asListed := func() map[protocol][]observed {
		return map[protocol][]observed{
			jsonProtocol:  {{"ok", "m1", "m1:a n=1 r1", "Gone"}},
			queryProtocol: {{"ok", "m1", "none", "Gone"}},
		}
	}
	all := readMade(t, made)
	if got := compare(all, moto, asListed()); len(got) > 0 {
		t.Error("complains of what is listed: ", got)
	}
	for _, c := range []struct {
		name string
		p    protocol
		step int
		got  string
		want string
	}{
		{"an unlisted difference", jsonProtocol, 1, "m2", "made.txt:4: made, moto over json: send q a"},
		{"a difference listed for the other protocol", jsonProtocol, 2, "none", "is not listed as a difference"},
		{"a listed difference that is gone", queryProtocol, 2, "m1:a n=1 r1", "is not the listed difference"},
		{"a listed difference that has become another", jsonProtocol, 3, "Lost", "is not the listed difference"},
	} {
		results := asListed()
		results[c.p][0][c.step] = c.got
		if got := compare(all, moto, results); len(got) != 1 || !strings.Contains(got[0], c.want) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestListsAreChecked(t *testing.T) {
	known := map[string]reason{"known": {ours, "because"}}
	if got := wellListed(readMade(t, made), known); len(got) > 0 {
		t.Error(got)
	}
	for name, text := range map[string]string{
		"an unknown reason":              made + "counts q\n= a\nmoto: b [unheard]\n",
		"a difference that is none":      made + "counts q\n= a\nmoto: a [known]\n",
		"a reason that nobody refers to": "== made\ncreate q\n",
	} {
		if got := wellListed(readMade(t, text), known); len(got) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, text := range []string{"create q\n", "== made\n= m1\n", "== made\ncreate q\nmoto: none\n"} {
		if _, err := readScenarios("bad", text); err == nil {
			t.Errorf("read without complaint: %q", text)
		}
	}
	spelt := &spelling{codes: map[string]string{"a": "A", "b": "B"}, met: map[string]bool{}}
	if spelt.read("a") != "A" || spelt.read("c") != "c" || !slices.Equal(spelt.unmet(), []string{"b"}) {
		t.Error(spelt)
	}
}

func TestReasons(t *testing.T) {
	for _, complaint := range wellListed(loadScenarios(t), reasons) {
		t.Error(complaint)
	}
	for name, r := range reasons {
		if r.text == "" || !slices.Contains([]verdict{ours, theirs, open}, r.right) {
			t.Errorf("%s: no text, or nobody is right", name)
		}
	}
}

func TestSlowStepsAreNoticed(t *testing.T) {
	for lines, slow := range map[string]bool{"purge q\nwait 0": true, "purge q": false, "wait 0": false} {
		r := newRun(within(t), client{url: "http://127.0.0.1:1", protocol: jsonProtocol}, func(time.Duration) {}, "")
		r.patience = 1
		purge := verbs["purge"]
		verbs["purge"] = func(*run, step) (string, error) { time.Sleep(time.Millisecond); return "ok", nil }
		_, err := play(r, readMade(t, "== made\n"+lines)[0])
		verbs["purge"] = purge
		if errors.Is(err, errSlow) != slow {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

// An endpoint that is wrong on purpose, ours with its deletes thrown away, does
// not pass as an emulator without differences.
func TestAWrongEndpointIsNoticed(t *testing.T) {
	e, err := sqs.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	target, err := url.Parse(e.URL())
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	wrong := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Target") == "AmazonSQS.DeleteMessage" {
			return // success, and nothing done
		}
		through.ServeHTTP(w, r)
	}))
	defer wrong.Close()
	all := loadScenarios(t)
	all = all[slices.IndexFunc(all, func(s *scenario) bool { return s.name == "send, receive, delete" }):][:1]
	got, err := play(newRun(within(t), client{url: wrong.URL, protocol: jsonProtocol}, time.Sleep, ""), all[0])
	if err != nil {
		t.Fatal(err)
	}
	wrongOne := emulator{name: "wrong", protocols: []protocol{jsonProtocol}}
	if compare(all, wrongOne, map[protocol][]observed{jsonProtocol: {got}}) == nil {
		t.Error("nobody noticed that the deletes did nothing: ", got)
	}
}
