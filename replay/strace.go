package replay

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/twiceproof/twiceproof/replay/process"
)

// strace is one that is attached to a worker's processes: they are started as ever, and
// are not wrapped.
type strace struct {
	cmd      *exec.Cmd
	waits    map[int]bool  // for these it is not attached yet
	attached chan struct{} // closed when it is attached to all of them
	ended    chan struct{} // closed when it has ended, and all that it printed was taken in
	said     []string      // beside what it saw; after ended
}

// looked is what a strace looks at: calls on files.
type looked struct {
	calls, files []string
	// stops: the thread that made such a call is stopped by it, before it goes on. What
	// strace itself can count and kill, it counts by the thread (when=2), and a pool of
	// threads is never there: four of them that write once each are not met. So who
	// reads the lines counts.
	stops bool
}

// attach returns when strace sees all that the process and those below it do. What it
// sees goes to take, in order and from one goroutine.
func attach(ctx context.Context, p *process.Process, at looked, take func(traceLine)) (*strace, error) {
	calls := "?" + strings.Join(at.calls, ",?")
	args := []string{"-f", "-y", "-ttt", "-s", "0", "-o", "/dev/stdout", "-e", "signal=SIGSTOP", "-e", "trace=" + calls}
	if at.stops {
		args = append(args, "-e", "inject="+calls+":signal=SIGSTOP")
	}
	for _, file := range at.files {
		args = append(args, "-P", file)
	}
	s := &strace{waits: map[int]bool{}, attached: make(chan struct{}), ended: make(chan struct{})}
	for _, pid := range p.All() {
		args, s.waits[pid] = append(args, "-p", strconv.Itoa(pid)), true
	}
	s.cmd = exec.Command("strace", args...) //nolint:gosec,noctx // it ends with the worker, or by end
	if err := s.start(take); err != nil {
		return nil, err
	}
	why := "strace ended at once, and did not say why"
	select {
	case <-s.attached:
		return s, nil
	case <-s.ended:
	case <-ctx.Done():
		s.kill()
		why = "strace was not attached in time"
	}
	return nil, errors.New(cmp.Or(strings.Join(s.said, "; "), why))
}

func (s *strace) start(take func(traceLine)) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close() // strace has its own
	s.cmd.Stdout, s.cmd.Stderr = write, write
	if err := process.StartLeader(s.cmd); err != nil {
		read.Close()
		return err
	}
	go func() {
		lines := bufio.NewScanner(read)
		for lines.Scan() {
			s.line(lines.Text(), take)
		}
		read.Close()
		_ = process.WaitLeader(s.cmd) // its status is the worker's
		close(s.ended)
	}()
	return nil
}

// attachedTo tells of one that it is attached to, or that has ended meanwhile.
var attachedTo = regexp.MustCompile(`^strace: (?:attach: ptrace\(PTRACE_SEIZE, (\d+)\): No such process|Process (\d+) attached)`)

func (s *strace) line(text string, take func(traceLine)) {
	if l, ok := readTrace(text); ok {
		take(l)
		return
	}
	if m := attachedTo.FindStringSubmatch(text); m != nil {
		pid, _ := strconv.Atoi(m[1] + m[2])
		first := s.waits[pid]
		if delete(s.waits, pid); first && len(s.waits) == 0 {
			close(s.attached)
		}
		return
	}
	if why, ok := strings.CutPrefix(text, "strace: "); ok {
		s.said = append(s.said, why)
	}
}

// One that does not end, as one that waits for a disk, is not waited for any longer.
const straceEnds = 5 * time.Second

// end lets the worker go, and returns when all that was seen has been taken in.
func (s *strace) end() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // an error: it has ended
	select {
	case <-s.ended:
	case <-time.After(straceEnds):
		s.kill()
	}
}

// kill lets the worker go, too. As long as it is not attached, strace tries out with
// children of its own what it may do; they are in its group, and have its pipe.
func (s *strace) kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // ESRCH: it has ended
	<-s.ended
}

// What is not attached by then is not told apart from what may not be.
const straceLimit = 30 * time.Second

// whyNoStrace tries it at a process that does nothing; empty: it can be attached.
func whyNoStrace(ctx context.Context) string {
	if _, err := exec.LookPath("strace"); err != nil {
		return "strace is not there: install it (Debian, Ubuntu: apt-get install strace)"
	}
	p, err := process.Start("exec sleep 60", "", nil) // this environment
	if err != nil {
		return err.Error()
	}
	defer p.Kill()
	limited, cancel := context.WithTimeout(ctx, straceLimit)
	defer cancel()
	s, err := attach(limited, p, looked{calls: writing}, func(traceLine) {})
	if err == nil {
		s.end()
		return ""
	}
	return "strace cannot be attached (" + err.Error() + "): allow ptrace, in a container by --cap-add=SYS_PTRACE, elsewhere by sysctl kernel.yama.ptrace_scope=0"
}

// filesOf are the paths of a database's files by their roles.
func filesOf(path string, roles ...string) (files []string) {
	for suffix, role := range fileRoles {
		if len(roles) == 0 || slices.Contains(roles, role) {
			files = append(files, path+suffix)
		}
	}
	return files
}
