package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/term"

	"github.com/twiceproof/twiceproof/jobfile"
)

// terminal is the command on a terminal: keys go in, and the screen is what a person
// would see.
type terminal struct {
	t      *testing.T
	keys   *os.File
	screen vt10x.Terminal
	cmd    *exec.Cmd
	folder string
	before term.State

	mu      sync.Mutex
	changed chan struct{} // closed and made anew with each change of the screen
	gone    chan struct{} // closed when nothing more comes
}

// onTerminal starts the command in an empty folder.
func onTerminal(t *testing.T, environ []string, args ...string) *terminal {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A hang ends the test, and not the machine's day.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	tt := &terminal{t: t, folder: t.TempDir(), changed: make(chan struct{}), gone: make(chan struct{})}
	tt.cmd = exec.CommandContext(ctx, program)
	tt.cmd.Args = append([]string{"twiceproof"}, args...) // by that name the test's program is the command
	tt.cmd.Dir = tt.folder
	tt.cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", "ACCESSIBLE="}, environ...)...)
	tt.start()
	tt.screen = vt10x.New(vt10x.WithSize(100, 30))
	go tt.watch()
	return tt
}

func (tt *terminal) start() {
	tt.t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		tt.t.Fatal(err)
	}
	defer tty.Close()
	tt.keys = keys
	tt.t.Cleanup(func() { _ = keys.Close() })
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		tt.t.Fatal(err)
	}
	tt.before = tt.state()
	tt.cmd.Stdin, tt.cmd.Stdout, tt.cmd.Stderr = tty, tty, tty
	tt.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := tt.cmd.Start(); err != nil {
		tt.t.Fatal(err)
	}
}

// state is the terminal's: does it echo, does it wait for whole lines?
func (tt *terminal) state() term.State {
	tt.t.Helper()
	state, err := term.GetState(int(tt.keys.Fd()))
	if err != nil {
		tt.t.Fatal(err)
	}
	return *state
}

func (tt *terminal) watch() {
	defer close(tt.gone)
	b := make([]byte, 4096)
	for {
		n, err := tt.keys.Read(b)
		if n > 0 {
			_, _ = tt.screen.Write(b[:n])
			tt.mu.Lock()
			close(tt.changed)
			tt.changed = make(chan struct{})
			tt.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// sees waits until the screen shows the text.
func (tt *terminal) sees(text string) {
	tt.t.Helper()
	for {
		tt.mu.Lock()
		changed := tt.changed
		tt.mu.Unlock()
		if tt.shows(text) {
			return
		}
		select {
		case <-changed:
		case <-tt.gone:
			if !tt.shows(text) {
				tt.t.Fatalf("never seen: %q; at the end the screen was\n%s", text, tt.screen.String())
			}
			return
		case <-time.After(time.Minute):
			tt.t.Fatalf("not seen: %q; the screen is\n%s", text, tt.screen.String())
		}
	}
}

func (tt *terminal) shows(text string) bool {
	return strings.Contains(strings.Join(strings.Fields(tt.screen.String()), " "), text)
}

func (tt *terminal) types(keys string) {
	tt.t.Helper()
	if _, err := tt.keys.WriteString(keys); err != nil {
		tt.t.Fatal(err)
	}
}

// ends waits for the command and gives its exit status.
func (tt *terminal) ends() int {
	tt.t.Helper()
	err := tt.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !asExit(err, &exit) {
		tt.t.Fatal(err)
	}
	return tt.cmd.ProcessState.ExitCode()
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

const (
	enter = "\r"
	down  = "\x1b[B"
	back  = "\x1b[Z"
	ctrlC = "\x03"
)

// A person answers with the keys, is asked only what matters, goes back to change an
// answer, and gets a job file that loads.
func TestFitFormAsksAndWrites(t *testing.T) {
	tt := onTerminal(t, nil, "fit")
	for _, step := range []struct{ question, keys string }{
		{"What do you want?", enter},
		{"How many job types are meant?", enter},
		{"Is the job one of these?", enter},
		{"Which queue system does the job run on?", down + down + enter},
		{"What shall the job be called?", "receipt.mail" + enter},
		{"What is the task, worker class or queue called", "receipts" + enter},
		{"Is the job's code in a repository", enter},
		{"Which database does the application have?", enter},
		{"Can a table with a unique key be added to it?", enter},
		{"Can the job run on staging", enter},
		{"Can it run there without calling the live", enter},
		{"What identifies one business operation", enter},
		{"Where in the message does it stand?", "order_id" + enter},
		{"this is no place in a message", "\x15body.order_id" + enter}, // the line is cleared first
		{"Which other fields must not differ", "body.to, body.total" + enter},
		{"What counts as a repeat", enter},
		{"How many places in the code", enter},
		{"How long does the job run at most", "20s" + enter},
		{"Where does the side effect happen?", enter}, // own row …
		{"What is the side effect, in plain words?", back},
		{"Where does the side effect happen?", down + enter}, // … after all not
		{"What is the side effect, in plain words?", "a receipt by mail" + enter},
		{"How many such calls does one message lead to?", enter},
		{"Can the outside system be asked afterwards", down + enter},
		{"Does it take a reference of yours", down + enter},
		{"nobody can tell whether the effect happened", enter},
		{"The job fits. Where shall the job file to start from be written?", enter},
		{"written: twiceproof.yaml", ""},
	} {
		tt.sees(step.question)
		tt.types(step.keys)
	}
	if status := tt.ends(); status != statusGood {
		t.Errorf("exit status %d", status)
	}
	file, err := jobfile.Load(filepath.Join(tt.folder, "twiceproof.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	j := file.Jobs[0]
	if j.Type != "receipt.mail" || j.Queue != "sqs" || j.Operation.Key[0].String() != "body.order_id" || len(j.Operation.Fingerprint) != 2 || j.Stale.Policy != "hold" || j.Lease != time.Minute {
		t.Errorf("got %+v", j)
	}
}

// Ctrl-C leaves the terminal as it was, says nothing of a verdict, writes nothing, and
// ends with 130; so it does in plain lines, and so does a SIGTERM.
func TestFitIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		leave func(*terminal)
	}{
		"form, ctrl+c":  {nil, func(tt *terminal) { tt.types(ctrlC) }},
		"form, SIGTERM": {nil, func(tt *terminal) { _ = tt.cmd.Process.Signal(syscall.SIGTERM) }},
		"plain, ctrl+c": {[]string{"--plain"}, func(tt *terminal) { tt.types(ctrlC) }},
	} {
		t.Run(name, func(t *testing.T) {
			tt := onTerminal(t, nil, append([]string{"fit"}, c.args...)...)
			tt.sees("What do you want?")
			if plain := tt.state() == tt.before; plain != (len(c.args) > 0) { // the control: the form does change it
				t.Errorf("within, the terminal is as before: %v", plain)
			}
			c.leave(tt)
			if status := tt.ends(); status != statusInterrupted {
				t.Errorf("exit status %d", status)
			}
			<-tt.gone
			if tt.state() != tt.before || !tt.screen.CursorVisible() || tt.screen.Mode()&vt10x.ModeAltScreen != 0 {
				t.Error("the terminal is not as it was")
			}
			if left, err := os.ReadDir(tt.folder); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// Without colours and in lines: TERM=dumb and ACCESSIBLE ask plainly by themselves.
func TestFitAsksPlainlyByItself(t *testing.T) {
	for _, variable := range []string{"TERM=dumb", "ACCESSIBLE=1"} {
		tt := onTerminal(t, []string{variable}, "fit")
		tt.sees("1 to 4:")
		tt.types("3\n")
		tt.sees("Cleaning up duplicates that exist is not what this does")
		if status := tt.ends(); status != statusFound {
			t.Errorf("%s: exit status %d", variable, status)
		}
	}
}
