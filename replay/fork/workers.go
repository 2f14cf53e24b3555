package fork

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twiceproof/twiceproof/replay/process"
	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// Workers has the workers of one code version started quickly. Most of a worker's start is
// the loading of what is installed: so that is loaded once, by a server, and each worker
// is a fork of it, which then loads the user's own files as ever, with an environment of
// its own.
//
// The first worker is started as without this, and writes down what it loads. Both
// it and the server are started by the user's command: their interpreter loads a file of
// this package before its main program (PYTHONPATH, RUBYOPT). Where anything would not
// be as it is without this, all workers are started cold, and that is said once.
type Workers struct {
	Settings
	refuse  *httpwire.Proxy                             // what the server is told as its HTTP proxy …
	refused atomic.Pointer[func(method, target string)] // … and who is told of a call to it: the world whose worker was started last

	mu      sync.Mutex
	first   *process.Process // the worker that is learnt from
	learnt  *learnt          // from it; nil until it is ready
	given   Launch           // as it was started
	server  *forkServer
	started forkedAs
	cold    string // why every worker is started cold
	upTo    string // what is not loaded any more, and why; empty: all is
	loaded  int
}

// Settings are what the workers of a version have in common.
type Settings struct {
	Folder    string                             // to be made, for what is written here
	Environ   func(refuse, temp string) []string // of a worker that has this HTTP proxy and this folder for temporary files
	Addresses []string                           // the variables that each worker has with an address of its own
	Ready     time.Duration                      // how long an interpreter may take until it has loaded everything
	Cold      func(why string)                   // is told once that all workers are started cold from now on
}

// Launch is how one worker is to be started.
type Launch struct {
	Command, Folder string
	Port            string // for {port} in the command; empty: there is none in it
	Environ         []string
}

// Start starts it cold.
func (l Launch) Start() (*process.Process, error) {
	return process.Start(strings.ReplaceAll(l.Command, "{port}", l.Port), l.Folder, l.Environ)
}

// Start starts the process of a worker, and tells whether it was forked.
func (f *Workers) Start(ctx context.Context, s Launch, refused func(method, target string)) (p *process.Process, forked bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused.Store(&refused)
	if f.first == nil && f.cold == "" {
		p, err = f.learn(s)
		return p, false, err
	}
	if f.cold == "" && f.server == nil && f.learnt != nil {
		f.serve(ctx, s)
	}
	if f.server == nil {
		p, err = s.Start()
		return p, false, err
	}
	switch p, err = f.fork(ctx, s); {
	case err == nil:
		return p, true, nil
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	}
	f.giveUp(err.Error())
	p, err = s.Start()
	return p, false, err
}

// learn starts the first worker.
func (f *Workers) learn(s Launch) (p *process.Process, err error) {
	if why := f.prepare(); why != "" {
		f.giveUp(why)
		return s.Start()
	}
	s.Environ = f.hooked(s.Environ, "learn")
	f.given = s
	f.first, err = s.Start()
	return f.first, err
}

// Learn takes in what the first worker has loaded by now. What a worker loads for its
// first message it loads by itself: loaded already it would act sooner, and what Celery
// does beside the act, such as an early acknowledgement, would come after it.
func (f *Workers) Learn(p *process.Process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p == f.first && f.learnt == nil {
		l := readLearnt(f.read("learnt"))
		f.learnt = &l
	}
}

// prepare writes the files that the interpreters load.
func (f *Workers) prepare() (why string) {
	if !process.Adopts() {
		return "this system has no process that adopts another one's children"
	}
	if strings.ContainsAny(f.Folder, " :") {
		return "the path of the temporary folder has a blank or a colon in it"
	}
	err := os.MkdirAll(filepath.Join(f.Folder, "tmp"), 0o700)
	if err == nil {
		err = writeForkFiles(f.Folder)
	}
	if err == nil {
		f.refuse, err = httpwire.Refuse(func(method, target string) { (*f.refused.Load())(method, target) })
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// hooked is an environment by which an interpreter loads the files before its main
// program.
func (f *Workers) hooked(environ []string, mode string) []string {
	all := values(environ)
	python, ruby := f.Folder, "-r"+f.Folder+"/fork.rb" // before Bundler's, which keeps the environment that it finds
	if all["PYTHONPATH"] != "" {
		python += ":" + all["PYTHONPATH"]
	}
	if all["RUBYOPT"] != "" {
		ruby += " " + all["RUBYOPT"]
	}
	return append(slices.Clone(environ), "PYTHONPATH="+python, "RUBYOPT="+ruby, "TWICEPROOF_FORK="+mode+":"+f.Folder)
}

// giveUp ends the server; from now on workers are started cold.
func (f *Workers) giveUp(why string) {
	f.cold = why
	if f.server != nil {
		f.server.end()
		f.server = nil
	}
	f.Cold(why)
}

// Close ends the server; the workers are not its own.
func (f *Workers) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		f.server.end()
	}
	if f.refuse != nil {
		f.refuse.Close()
	}
}

// Text says in the report how the workers were started.
func (f *Workers) Text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.cold != "":
		return "started cold: " + f.cold
	case f.first == nil:
		return "none was started"
	case f.server == nil:
		return "started cold: none came after the first one was ready, which is learnt from"
	case f.upTo != "":
		return fmt.Sprintf("%s (%d that they ask for, up to %s)", forkedFrom, f.loaded, f.upTo)
	}
	return fmt.Sprintf("%s (%d that they ask for)", forkedFrom, f.loaded)
}
