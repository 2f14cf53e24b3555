package fork

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/process"
)

// Each variable as the first worker and the server were given it and saw it, and as the
// worker is given it.
func TestTheEnvironmentOfAFork(t *testing.T) {
	one := func(value string) map[string]string {
		if value == "-" {
			return nil
		}
		return map[string]string{"V": value}
	}
	for _, c := range []struct{ given, seen, serverGiven, serverSeen, worker, changed, want string }{
		{"a", "a", "b", "b", "c", "", "c"},                    // handed on
		{"a", "a", "-", "-", "c", "", "c"},                    // an address
		{"a", "a", "b", "b", "-", "", "-"},                    // the hook's
		{"-", "x", "-", "x", "-", "", "x"},                    // the command's own
		{"a", "x", "b", "x", "c", "", "x"},                    // likewise, whatever is given
		{"a", "a/0", "b", "b/0", "c", "", "V anew"},           // made of what is given
		{"-", "a", "-", "b", "-", "", "V anew"},               // made of something else
		{"-", "a", "-", "-", "-", "", "V anew"},               // as ${V-$OTHER}
		{"a", "a", "a", "a", "a", "V=x", "x"},                 // a library's
		{"-", "-", "-", "-", "-", "V=x", "x"},                 // likewise
		{"a", "a", "a", "a", "a", "V", "-"},                   // taken away
		{"a", "a", "b", "b", "c", "V=b:x", "loads changes V"}, // it adds to what differs
	} {
		s := forkedAs{plain: one(c.serverGiven), changed: changes(c.changed)}
		s.first.given, s.first.seen, s.server.given, s.server.seen = one(c.given), one(c.seen), one(c.serverGiven), one(c.serverSeen)
		got, err := s.environment(one(c.worker))
		if text := fmt.Sprint(got, err); err == nil && (!same("V", got, one(c.want)) || len(got) != len(one(c.want))) || err != nil && !strings.Contains(text, c.want) {
			t.Errorf("%+v: got %s", c, text)
		}
	}
}

func TestReadLearnt(t *testing.T) {
	l := readLearnt("process\t7\nload\tjson\t/lib/json.py\nload\tjson\t/lib/json.py\nload\tcelery.__main__\t/lib\nload\tcel")
	if got := fmt.Sprint(l.load); got != "[{json /lib/json.py }]" || l.unfit(7) != "" {
		t.Errorf("got %s, %q", got, l.unfit(7))
	}
	for text, want := range map[string]string{
		"": "no Python or Ruby", "process\t8\nload\ta\tb\n": "leaves a shell", "process\t7\nprocess\t9\nload\ta\tb\n": "leaves a shell",
		"process\t7\nreads\t/proc/7/environ\nload\ta\tb\n": "reads /proc/7/environ",
		"process\t7\nown\tsettings\nload\ta\tb\n":          "settings", "process\t7\n": "nothing that is installed", "process\t7\nload\tgevent.monkey\t/g\n": "gevent",
	} {
		if got := readLearnt(text).unfit(7); !strings.Contains(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What the report says of workers is true of each way in which none of them was forked.
func TestWhatIsSaidOfWorkersThatWereNotForked(t *testing.T) {
	for want, f := range map[string]*Workers{
		"none was started": {},
		"started cold: none came after the first one was ready, which is learnt from": {first: &process.Process{}, learnt: &learnt{}},
		"started cold: it loads nothing that is installed":                            {first: &process.Process{}, cold: "it loads nothing that is installed"},
	} {
		if got := f.Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
