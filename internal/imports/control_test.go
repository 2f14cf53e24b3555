package imports

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// made builds a graph from lines such as "wire/pgwire -> wire/mysqlwire net".
// Paths without a dot are rooms of the module, unless the line "std: …" names
// them; "." is the root.
func made(lines ...string) graph {
	g := graph{}
	standard := map[string]bool{}
	for _, name := range []string{"net", "time", "strings"} {
		g[name] = pkg{ImportPath: name, Standard: true}
		standard[name] = true
	}
	full := func(name string) string {
		switch {
		case name == ".":
			return module
		case standard[name] || strings.Contains(name, "."):
			return name
		default:
			return module + "/" + name
		}
	}
	for _, line := range lines {
		from, to, _ := strings.Cut(line, " -> ")
		p := pkg{ImportPath: full(from)}
		for _, name := range strings.Fields(to) {
			p.Imports = append(p.Imports, full(name))
		}
		g[p.ImportPath] = p
	}
	return g
}

// controls: for each rule by its name, a graph that keeps it and some that break it.
var controls = map[string]struct {
	good []string
	bad  [][]string
}{
	ruleRoot: {
		[]string{". -> dialect dialect/postgres job strings", "guardpgx -> . github.com/jackc/pgx/v5"},
		[][]string{
			{". -> github.com/jackc/pgx/v5"},
			{". -> lab/postgres"},
			{". -> dialect", "dialect -> gopkg.in/yaml.v3"}, // by way of another
		},
	},
	ruleJob: {
		[]string{"job -> strings time", "jobfile -> job github.com/goccy/go-yaml"},
		[][]string{{"job -> dialect"}, {"job -> golang.org/x/text"}},
	},
	ruleAdmin: {
		[]string{"admin -> dialect job strings", "cmd/twiceproof -> admin github.com/jackc/pgx/v5"},
		[][]string{
			{"admin -> github.com/jackc/pgx/v5"},
			{"admin -> ."}, // the page for a person needs no guard
			{"admin -> job", "job -> jobfile"},
		},
	},
	ruleReplay: {
		[]string{"replay -> job wire/pgwire", "replay/history -> job", "replayer -> ."},
		[][]string{{"replay -> ."}, {"replay/worker -> ."}, {"replay -> queue/sqs", "queue/sqs -> ."}},
	},
	ruleProtocols: {
		[]string{"wire/pgwire -> wire net wire/pgwire/text", "replay -> wire/pgwire wire/mysqlwire"},
		[][]string{{"wire/pgwire -> wire/mysqlwire"}, {"wire/pgwire/text -> wire/respwire"}, {"wire/pgwire -> wire", "wire -> wire/httpwire"}},
	},
	ruleWire: {
		[]string{"wire -> net", "wire/pgwire -> wire", "replay -> job"},
		[][]string{{"wire -> job"}, {"wire/pgwire -> ."}, {"wire -> replay"}},
	},
	ruleTests: {
		[]string{"guardpgx -> .", "guardtest -> . strings", "internal/testdb -> lab/postgres"},
		[][]string{{"replay -> internal/testdb"}, {". -> guardtest"}, {"guardtest -> internal/testdb"}},
	},
}

// Positive controls: each rule complains of a graph that breaks it, and of
// nothing in one that keeps it.
func TestGraphRulesComplain(t *testing.T) {
	for _, rule := range graphRules {
		c := controls[rule.name]
		if len(c.good) == 0 || len(c.bad) == 0 {
			t.Errorf("no control: %s", rule.name)
		}
		if got := rule.check(made(c.good...)); len(got) > 0 {
			t.Errorf("%s: complains of a good graph: %q", rule.name, got)
		}
		if got := rule.check(made()); len(got) > 0 {
			t.Errorf("%s: complains of rooms that do not exist: %q", rule.name, got)
		}
		for _, lines := range c.bad {
			if got := rule.check(made(lines...)); len(got) == 0 {
				t.Errorf("%s: silent on %q", rule.name, lines)
			}
		}
	}
}

func source(t *testing.T, name, body string) file {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, "package made\n"+body, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file{name, fset, tree}
}

func TestSourceRulesComplain(t *testing.T) {
	for _, c := range []struct {
		name, body, want string // want is in the complaint; "" is none
	}{
		{"replay/run.go", `import "os"; var x = os.Getenv("HOME")`, "replay/run.go:2 uses os.Getenv"},
		{"replay/run.go", `import "os"; func f() { os.Exit(1) }`, "os.Exit"},
		{"replay/run.go", `import "os"; var out = os.Stdout`, "os.Stdout"},
		{"replay/run.go", `import system "os"; var x = system.Args`, "os.Args"},
		{"replay/run.go", `import . "fmt"; func f() { Println() }`, "a dot import of fmt"},
		{"guard.go", `import "fmt"; func f() { fmt.Printf("") }`, "fmt.Printf"},
		{"guard.go", `func f() { println("x") }`, "fmt.Println"},
		{"guard.go", `import "log"; func f() { log.Fatal() }`, "log.Fatal"},
		{"report/report.go", `import "flag"; var v = flag.Bool("v", false, "")`, "flag.Bool"},
		{"report/report.go", `import "github.com/spf13/cobra"; var c cobra.Command`, "cobra.Command"},
		{"report/report.go", `import ("fmt"; "io"); func f(w io.Writer) { fmt.Fprintln(w) }`, ""},
		{"report/report.go", `import "os"; var f, err = os.Open("x")`, ""},
		{"replay/run_test.go", `import "os"; var x = os.Getenv("HOME")`, ""},
		{"cmd/twiceproof/main.go", `import "os"; func f() { os.Exit(1) }`, ""},
		{"controls/noguard/main.go", `import "os"; func f() { os.Exit(1) }`, ""},
		{"internal/testdb/postgres.go", `import "os"; var x = os.Getenv("A")`, ""},
		{"internal/testdb/postgres.go", `import "os"; var x = os.Args`, "os.Args"},

		{"job/end.go", `import "time"; var t = time.Now()`, "deciding is pure: job/end.go:2 uses time.Now"},
		{"job/end.go", `import clock "time"; var now = clock.Now`, "time.Now"},
		{"job/end.go", `import "time"; var lease = 2 * time.Minute`, ""},
		{"job/end.go", `import "os"; var f, err = os.Open("x")`, "os.Open"},
		{"job/end.go", `import "os/exec"; var c = exec.Command("x")`, "exec.Command"},
		{"job/end.go", `import "net"; var c, err = net.Dial("tcp", "x")`, "net.Dial"},
		{"job/end.go", `import "net"; var ip = net.ParseIP("::1")`, ""},
		{"job/end.go", `import "net/http"; var c http.Client`, "http.Client"},
		{"job/end.go", `import "net/http/httptest"; var s httptest.Server`, "httptest.Server"},
		{"job/end.go", `import "math/rand/v2"; var n = rand.Int()`, "rand.Int"},
		{"job/end.go", `func f() { go f() }`, "a goroutine"},
		{"job/end_test.go", `import "time"; var t = time.Now()`, ""},
		{"replay/judge/blocked.go", `import "time"; var t = time.Now()`, "time.Now"},
		{"replay/judge/queuefacts.go", `import "time"; var t = time.Now()`, "time.Now"},
		{"replay/worker.go", `import "time"; var t = time.Now()`, ""},
		{"decide.go", `import "time"; var t = time.Now()`, "deciding is pure: decide.go:2 uses time.Now"},
		{"sweepdecide.go", `import "time"; var t = time.Since(time.Time{})`, "time.Since"},
		{"admin/resolvedecide.go", `import "database/sql"; var db sql.DB`, "sql.DB"},
		{"admin/resolvedecide.go", `import "time"; const digit = time.Microsecond`, ""},
		{"admin/resolve.go", `import "database/sql"; var db sql.DB`, ""},
	} {
		f := source(t, c.name, c.body)
		var got string
		for _, complaint := range append(onlyCmdTouchesTheOutside(f), decidingIsPure(f)...) {
			if allowed[complaint.key()] == "" {
				got += complaint.String()
			}
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.name, c.body, got, c.want)
		}
	}
}
