package fork

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/replay/process"
)

const forkedFrom = "forked from an interpreter that had loaded their libraries"

// serve starts the server. What it loads is always how a cold start begins: at the first
// thing that is not fit for it, it is started anew and stops before.
func (f *Workers) serve(ctx context.Context, s Launch) {
	l := *f.learnt
	why := l.unfit(f.first.Pid)
	if why == "" {
		why = f.attempt(ctx, l, s)
	}
	if n := slices.IndexFunc(l.load, func(a asked) bool { return a.name == f.upTo }); n > 0 {
		l.load, f.upTo = l.load[:n], why
		why = f.attempt(ctx, l, s)
	}
	if why != "" && ctx.Err() == nil {
		f.giveUp(why)
	}
}

// attempt starts a server, or tells what is in the way; that of one thing that it was to
// load is in upTo, too.
func (f *Workers) attempt(ctx context.Context, l learnt, s Launch) (why string) {
	plain := f.environ()
	if err := f.tell(l, plain, values(s.Environ)); err != nil {
		return err.Error()
	}
	asked := Launch{Command: s.Command, Folder: s.Folder, Environ: f.hooked(listed(plain), "serve")}
	server, err := startForkServer(asked)
	if err != nil {
		return err.Error()
	}
	line, err := server.answer(ctx, f.Ready)
	if err == nil && line == "ready" {
		err = f.check(plain, asked, s)
	}
	if err == nil && line == "ready" {
		f.server = server
		return ""
	}
	server.end()
	if err != nil {
		return err.Error()
	}
	if unfit, ok := strings.CutPrefix(line, "unfit\t"); ok {
		f.upTo, line, _ = strings.Cut(unfit, "\t")
		line = f.upTo + ": " + line
	}
	return line
}

// environ is what the server has of a worker's: what is the worker's own is not there,
// or leads nowhere.
func (f *Workers) environ() map[string]string {
	all := values(f.Environ(f.refuse.URL(), filepath.Join(f.Folder, "tmp")))
	for _, name := range f.Addresses {
		delete(all, name)
	}
	return all
}

// tell writes what is to be loaded, and what each worker has as a value of its own.
func (f *Workers) tell(l learnt, server, worker map[string]string) error {
	load, differ := "", []string{}
	for _, m := range l.load {
		load += m.name + "\t" + m.where + "\t" + m.path + "\n"
	}
	f.loaded = len(l.load)
	for name := range allNames(server, worker) {
		if !same(name, server, worker) {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	return errors.Join(f.write("load", load), f.write("differ", strings.Join(differ, "\n")), f.write("addresses", strings.Join(f.Addresses, "\n")))
}

func (f *Workers) write(name, text string) error {
	return os.WriteFile(filepath.Join(f.Folder, name), []byte(text), 0o600)
}

// check: would a fork be what a worker is that is started cold?
func (f *Workers) check(plain map[string]string, asked, s Launch) error {
	f.started = forkedAs{plain: plain, changed: changes(f.read("server.changed"))}
	first, server := &f.started.first, &f.started.server
	first.given, first.seen, first.words = values(f.given.Environ), values(strings.Split(f.read("learner.environ"), "\x00")), f.read("learner.cmdline")
	server.given, server.seen, server.words = values(asked.Environ), values(strings.Split(f.read("server.environ"), "\x00")), f.read("server.cmdline")
	_, err := f.started.environment(values(s.Environ))
	return errors.Join(err, f.started.checkWords(f.given.Port))
}

func (f *Workers) fork(ctx context.Context, s Launch) (*process.Process, error) {
	environ, err := f.started.environment(values(s.Environ))
	if err != nil {
		return nil, err
	}
	return f.server.fork(ctx, listed(environ), s.Port)
}
