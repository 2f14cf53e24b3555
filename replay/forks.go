package replay

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/fork"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// forks are those of a replay, by the version's name; nil: workers are started cold.
type forks map[string]*fork.Workers

func (l *lab) newForks() forks {
	all := forks{}
	for i, v := range l.Spec.Versions {
		all[v.Name] = &fork.Workers{Settings: fork.Settings{
			Folder: filepath.Join(l.folder, "fork-"+string(rune('a'+i))),
			Environ: func(refuse, temp string) []string {
				return environment(l.Environ, l.Spec, addresses{refuse: refuse, temp: temp})
			},
			Addresses: addressNames(l.Spec), Ready: l.Spec.Timeouts.Ready,
			Cold: func(why string) {
				l.progress(Progress{Note: fmt.Sprintf("workers of version %q are started cold: %s", v.Name, why)})
			},
		}}
	}
	return all
}

// addressNames are the variables that each worker has with an address of its own.
func addressNames(spec *jobfile.Replay) []string {
	e := spec.Environment
	names := []string{e.Database, e.Queue, e.Broker, e.Outside, e.JobFile, e.Mail}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func (all forks) close() {
	for _, f := range all {
		f.Close()
	}
}

// texts say for the report how the workers of each version were started.
func (all forks) texts(plan judge.Plan, spec *jobfile.Replay) map[string]string {
	said := map[string]string{}
	for _, v := range spec.Versions {
		if f := all[v.Name]; f != nil && uses(plan, v) {
			said["workers of "+v.Name] = f.Text()
		}
	}
	return said
}

// forkHint is for a worker that has not got as far as one that was started cold.
func (k *worker) forkHint() string {
	if k.forked {
		return "; it was forked: without --fast it is started as you start it"
	}
	return ""
}

// howStarted is empty for a worker that was started cold.
func (k *worker) howStarted() string {
	if k.forked {
		return judge.WorkerForked
	}
	return ""
}
