package replay

import "path/filepath"

// forks are those of a replay, by the version's name; nil: workers are started cold.
type forks map[string]*fork

func newForks(l *lab) forks {
	all := forks{}
	for i, v := range l.Spec.Versions {
		all[v.Name] = &fork{lab: l, version: v.Name, folder: filepath.Join(l.folder, "fork-"+string(rune('a'+i)))}
	}
	return all
}

func (all forks) close() {
	for _, f := range all {
		f.close()
	}
}

// texts say for the report how the workers of each version were started.
func (all forks) texts(plan Plan) map[string]string {
	said := map[string]string{}
	for name, f := range all {
		if uses(plan, f.lab.version(name)) {
			said["workers of "+name] = f.text()
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
		return workerForked
	}
	return ""
}
