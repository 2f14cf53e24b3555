package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sources of every kind, sound and not. Each value has zq in it, also a name in JSON
// that is one, and each time has 2021; columns' names have neither.
var valueSources = []struct {
	what   string
	status int
	text   string
	args   []string
}{
	{"repeats", statusFound, "order,at,jobxid\nzq-1,2021-11-17T03:13:37Z,zqm\nzq-1,2021-11-17T03:13:57Z,zqm\nZQ-1,2021-11-17T03:13:58Z,\n,2021-11-17T03:13:59Z,zqn\n", csvArgs("--message-id", "jobxid", "--key", "order,jobxid")},
	{"none", statusGood, "order,at\nzq-1,2021-11-17T03:13:37.1Z\nzq-2,2021-11-17T03:13:57.1Z\n", csvArgs()},
	{"attempts", statusUnknown, "order,at,Try Count\nzq-1,2021-11-17T03:13:37.1Z,zq\n", csvArgs()},
	{"another column", statusUsage, "ordre,at\nzq-1,2021-11-17T03:13:37Z\n", csvArgs()},
	{"no header", statusUsage, "zq-1,17.11.2021 03:13\nzq-2,17.11.2021 03:14\n", csvArgs()},
	{"no header, and short times", statusUsage, "zq-1,17/11/21 03h13\nzq-2,17/11/21 03h14\n", csvArgs()},
	{"no times", statusUsage, "order,at\nzq-1,zq 2021\n", csvArgs()},
	{"an open quote", statusUsage, "order,at\nzq-1,\"2021-11-17T03:13:37Z\nzq-2,2021\n", csvArgs()},
	{"binary", statusUsage, "order,at\nzq-1,2021\x00\n", csvArgs()},
	{"names that are values", statusUsage, `{"by": {"zq-7": 1, "zq": 2}, "at": "2021-11-17T03:13:37Z"}` + "\n" + `{"by": {"zq-8": 1}, "at": "2021-11-17T03:13:38Z"}` + "\n", jsonlArgs()},
	{"one line", statusUsage, `{"zq": "zq", "at": "2021-11-17T03:13:37Z"}`, jsonlArgs()},
	{"no JSON", statusUsage, "zq 2021\n", jsonlArgs()},
	{"JSON", statusFound, strings.Repeat(`{"order": "zq-7", "at": "2021-11-17T03:13:37Z", "by": {"zq": 1}}`+"\n", 2), jsonlArgs("--keep-identical")},
	{"no line of the log", statusUsage, "zq 2021-11-17\n", []string{"--log", "FILE", "--pattern", "celery"}},
	{"a group that is none", statusUsage, "2021-11-17 zq\n", []string{"--log", "FILE", "--pattern", `^(?P<time>\S+) (?P<reference>\S+)`, "--message-id", "jobxid"}},
	{"deploys", statusUsage, "2021-11-17T03:13:37Z zq\nzq 2021\n", csvArgs("--deploys", "FILE")},
}

func csvArgs(more ...string) []string {
	return append([]string{"--csv", "FILE", "--reference", "order", "--time", "at"}, more...)
}

func jsonlArgs(more ...string) []string {
	return append([]string{"--jsonl", "FILE", "--reference", "order", "--time", "at"}, more...)
}

// Nothing that is printed or written holds a value, whatever goes wrong, and the report
// to send on holds no name either, even where it is asked to show. The controls: what
// is asked to show does hold them.
func TestRepeatsTellsNoValue(t *testing.T) {
	for _, c := range valueSources {
		for _, more := range [][]string{nil, {"--json"}, {"--show"}, {"--show", "--json"}} {
			t.Run(c.what+" "+strings.Join(more, " "), func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := os.WriteFile("FILE", []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
				var out, said bytes.Buffer
				args := append(append([]string{"repeats", "--html", "page", "--share", "share"}, c.args...), more...)
				if status := run(t.Context(), args, stdio{strings.NewReader(""), &out, &said}); status != c.status {
					t.Fatalf("status %d, want %d:\n%s%s", status, c.status, out.String(), said.String())
				}
				told := map[string]string{"what is said": said.String(), "share": fileOr(t, "share")}
				if shows := len(more) > 0 && more[0] == "--show"; !shows {
					told["what is printed"], told["page"] = out.String(), fileOr(t, "page")
				} else if c.status == statusFound && (!holdsValue(out.String()) || !holdsValue(fileOr(t, "page"))) {
					t.Errorf("the control: nothing is shown\n%s", out.String())
				}
				for what, text := range told {
					if holdsValue(text) {
						t.Errorf("%s holds a value:\n%s", what, text)
					}
				}
				for _, name := range []string{"order", "FILE", "jobxid", "Try Count"} {
					if strings.Contains(told["share"], name) {
						t.Errorf("the report to send on holds %s:\n%s", name, told["share"])
					}
				}
			})
		}
	}
}

func holdsValue(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "zq") || strings.Contains(text, "2021") || strings.Contains(text, "17/11")
}

func fileOr(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
