package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/twiceproof/twiceproof/wire/httpwire"
)

// fork has the workers of one code version started quickly. Most of a worker's start is
// the loading of what is installed: so that is loaded once, by a server, and each worker
// is a fork of it, which then loads the user's own files as ever, with an environment of
// its own.
//
// The first worker is started as without this, and writes down what it loads. Both
// it and the server are started by the user's command: their interpreter loads a file of
// this package before its main program (PYTHONPATH, RUBYOPT). Where anything would not
// be as it is without this, all workers are started cold, and that is said once.
type fork struct {
	lab     *lab
	version string
	folder  string
	refuse  *httpwire.Proxy                             // what the server is told as its HTTP proxy …
	refused atomic.Pointer[func(method, target string)] // … and who is told of a call to it: the world whose worker was started last

	mu      sync.Mutex
	first   *process  // the worker that is learnt from
	learnt  *learnt   // from it; nil until it is ready
	given   launching // as it was started
	server  *forkServer
	started forkedAs
	cold    string // why every worker is started cold
	upTo    string // what is not loaded any more, and why; empty: all is
	loaded  int
}

// launching is how a worker is to be started.
type launching struct {
	command, folder string
	port            string // for {port} in the command; empty: there is none in it
	environ         []string
}

func (s launching) filled() string { return strings.ReplaceAll(s.command, "{port}", s.port) }

func (s launching) start() (*process, error) { return startProcess(s.filled(), s.folder, s.environ) }

// launch starts the process of a worker, and tells whether it was forked.
func (f *fork) launch(ctx context.Context, s launching, refused func(method, target string)) (p *process, forked bool, err error) {
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
		p, err = s.start()
		return p, false, err
	}
	switch p, err = f.fork(ctx, s); {
	case err == nil:
		return p, true, nil
	case ctx.Err() != nil:
		return nil, false, context.Cause(ctx)
	}
	f.giveUp(err.Error())
	p, err = s.start()
	return p, false, err
}

// learn starts the first worker.
func (f *fork) learn(s launching) (p *process, err error) {
	if why := f.prepare(); why != "" {
		f.giveUp(why)
		return s.start()
	}
	s.environ = f.hooked(s.environ, "learn")
	f.given = s
	f.first, err = s.start()
	return f.first, err
}

// ready takes in what the first worker has loaded by now. What a worker loads for its
// first message it loads by itself: loaded already it would act sooner, and what Celery
// does beside the act, such as an early acknowledgement, would come after it.
func (f *fork) ready(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p == f.first && f.learnt == nil {
		l := readLearnt(f.read("learnt"))
		f.learnt = &l
	}
}

// prepare writes the files that the interpreters load.
func (f *fork) prepare() (why string) {
	if !adopting.Load() {
		return "this system has no process that adopts another one's children"
	}
	if strings.ContainsAny(f.folder, " :") {
		return "the path of the temporary folder has a blank or a colon in it"
	}
	err := os.MkdirAll(filepath.Join(f.folder, "tmp"), 0o700)
	if err == nil {
		err = writeForkFiles(f.folder)
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
func (f *fork) hooked(environ []string, mode string) []string {
	all := values(environ)
	python, ruby := f.folder, "-r"+f.folder+"/fork.rb" // before Bundler's, which keeps the environment that it finds
	if all["PYTHONPATH"] != "" {
		python += ":" + all["PYTHONPATH"]
	}
	if all["RUBYOPT"] != "" {
		ruby += " " + all["RUBYOPT"]
	}
	return append(slices.Clone(environ), "PYTHONPATH="+python, "RUBYOPT="+ruby, "TWICEPROOF_FORK="+mode+":"+f.folder)
}

// giveUp ends the server; from now on workers are started cold.
func (f *fork) giveUp(why string) {
	f.cold = why
	if f.server != nil {
		f.server.end()
		f.server = nil
	}
	f.lab.progress(Progress{Note: fmt.Sprintf("workers of version %q are started cold: %s", f.version, why)})
}

func (f *fork) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		f.server.end()
	}
	if f.refuse != nil {
		f.refuse.Close()
	}
}

// text says in the report how the workers were started.
func (f *fork) text() string {
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
