//go:build linux

package fork

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/replay/process"
	"github.com/twiceproof/twiceproof/replay/process/processtest"
)

// TestMain is the program when a test starts it as that.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fork" {
		forkProgram(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// forked is what forkProgram tells.
type forked struct {
	Text    string   // how the workers were started
	Cold    string   // what one of them printed that was started cold …
	Workers []string // … and these that were started with --fast
	Forked  []bool
	Ends    []string
}

// forkProgram is a program that starts workers one after another, the first of them to be
// learnt from, and one cold.
func forkProgram(command string) {
	process.AdoptOrphans()
	folder, err := os.MkdirTemp("", "fork")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	environ := func(refuse, temp string) []string { return append(os.Environ(), "HTTP_PROXY="+refuse, "TMPDIR="+temp) }
	f := &Workers{Settings: Settings{Folder: filepath.Join(folder, "fork"), Environ: environ, Addresses: []string{"DATABASE_URL"}, Ready: processtest.GivesUp, Cold: func(string) {}}}
	defer f.Close()
	told := forked{}
	here := os.Getenv("FORK_TEST")
	for _, n := range []string{"0", "1", "2"} {
		s := Launch{Command: command, Folder: here, Port: "4000" + n, Environ: append(environ("http://127.0.0.1:"+n, here), "DATABASE_URL=sqlite:"+n)}
		p, isFork, err := f.Start(context.Background(), s, func(string, string) {})
		printed, end := toEnd(p, err)
		f.Learn(p)
		told.Workers, told.Forked, told.Ends = append(told.Workers, printed), append(told.Forked, isFork), append(told.Ends, end)
		p, err = s.Start()
		told.Cold, _ = toEnd(p, err) // the last one counts
	}
	told.Text = f.Text()
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		panic(err)
	}
}

func toEnd(p *process.Process, err error) (printed, end string) {
	if err != nil {
		panic(err)
	}
	<-p.Exited
	p.Kill()
	return p.Output(), fmt.Sprint(p.Err)
}

// pythonIn is a virtual environment of its own, where a test can install something.
func pythonIn(t *testing.T, folder string) (program, installed string) {
	t.Helper()
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
		t.Fatalf("no virtual environment: %v\n%s\nhint: apt-get install python3-venv", err, out)
	}
	program = filepath.Join(folder, "bin", "python")
	out, err := exec.Command(program, "-c", "import site; print(site.getsitepackages()[0])").Output()
	if err != nil {
		t.Fatal(err)
	}
	return program, strings.TrimSpace(string(out))
}

func forkCommand(t *testing.T, command, here string, environ ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(self, "fork", command)
	program.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + here, "TMPDIR=" + t.TempDir(), "FORK_TEST=" + here}, environ...)
	program.Stderr = os.Stderr
	return program
}

// runForks runs forkProgram.
func runForks(t *testing.T, command, here string, environ ...string) (told forked) {
	t.Helper()
	printed, err := forkCommand(t, command, here, environ...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(printed, &told); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if left := processtest.Running(t, "FORK_TEST="+here); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	return told
}

func testFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeIn(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// sameLines: what a worker tells that was started cold, a forked one tells as well.
func sameLines(t *testing.T, cold, fork string) {
	t.Helper()
	a, b := strings.Split(alike(cold), "\n"), strings.Split(alike(fork), "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("line %d\ncold   %q\nforked %q", i, a[min(i, len(a)):min(i+2, len(a))], b[min(i, len(b)):min(i+2, len(b))])
		}
	}
	if !strings.Contains(cold, "sqlite:2") {
		t.Errorf("it is not that worker: %s", cold)
	}
}

// ofEach are numbers that two processes never have in common.
var ofEach = regexp.MustCompile(`(pipe|socket):\[\d+\]|"pid": ?\d+`)

func alike(text string) string { return ofEach.ReplaceAllString(text, "$1") }

func TestAForkIsAsACold(t *testing.T) {
	here := t.TempDir()
	python, _ := pythonIn(t, filepath.Join(here, "venv"))
	writeIn(t, here, map[string]string{"dump.py": testFile(t, "dump.py"), "dump.rb": testFile(t, "dump.rb")})
	for _, c := range []struct{ name, command, variable string }{
		{"Python, a file", python + " dump.py {port} 'two  words'", "PYTHONPATH="},
		{"Python, a module", "B=1 exec " + python + " -W error::UserWarning -m dump a={port} ''", "PYTHONPATH=/nowhere:."},
		{"Ruby", "ruby dump.rb {port} 'two  words'", "RUBYOPT="},
		{"Ruby with options", "B=1 exec ruby -W2 -I lib dump.rb a={port} ''", "RUBYOPT=-W1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := runForks(t, c.command, here, "A=é\nb", c.variable)
			if !strings.HasPrefix(told.Text, forkedFrom) || strings.Contains(told.Text, "up to") || fmt.Sprint(told.Forked) != "[false true true]" {
				t.Fatalf("%+v", told)
			}
			sameLines(t, told.Cold, told.Workers[2])
			if got := fmt.Sprint(told.Ends); got != "[<nil> exit status 1 exit status 2]" {
				t.Error(got)
			}
		})
	}
}
