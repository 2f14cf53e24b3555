package doctor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readsettings"
	"github.com/twiceproof/twiceproof/job"
)

// python is the one of the Python package's tests, which has Celery.
func python(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../bin/python/bin/python3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("there is no bin/python with Celery: make bin/python")
	}
	return path
}

const celeryApp = `
import sys
from celery import Celery
print("noise of the application")
app = Celery("billing", broker="redis://:hunter2@127.0.0.1:1/0")
app.conf.update(
    broker_transport_options={"visibility_timeout": 600},
    worker_prefetch_multiplier=1,
)

@app.task(name="billing.charge", acks_late=True, reject_on_worker_lost=True, soft_time_limit=60, time_limit=90)
def charge(order_id):
    pass
`

// appCase is a folder with an application, imported anew when its text has changed.
type appCase struct {
	t      *testing.T
	folder string
	read   map[string]doctor.Report
	text   string
}

func (c *appCase) replaced(from, to string) {
	c.t.Helper()
	if !strings.Contains(c.text, from) {
		c.t.Fatalf("the application has no %q", from)
	}
	c.text = strings.ReplaceAll(c.text, from, to)
}

func (c *appCase) examine(file string, read func() doctor.Report) doctor.Report {
	c.t.Helper()
	if r, is := c.read[c.text]; is {
		return r
	}
	if err := os.WriteFile(filepath.Join(c.folder, file), []byte(c.text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	_ = os.RemoveAll(filepath.Join(c.folder, "__pycache__"))
	c.read[c.text] = read()
	return c.read[c.text]
}

func TestCelery(t *testing.T) {
	python, read := python(t), map[string]doctor.Report{}
	amqp := strings.NewReplacer("redis://:hunter2@127.0.0.1:1/0", "amqp://u:hunter2@127.0.0.1:1//", `"visibility_timeout": 600`, `"confirm_publish": True`).Replace(celeryApp)
	folder := t.TempDir()
	t.Chdir(folder)
	for i, c := range []struct{ id, app, from, to string }{
		{"celery.acks_early", celeryApp, "acks_late=True", "acks_late=False"},
		{"celery.acks_early", celeryApp, "acks_late=True, ", ""},
		{"celery.worker_lost", celeryApp, "reject_on_worker_lost=True, ", ""},
		{"celery.limit_kills", celeryApp, "soft_time_limit=60, ", ""},
		{"celery.limit_kills", celeryApp, "soft_time_limit=60", "soft_time_limit=95"},
		{"celery.limit_short", celeryApp, "soft_time_limit=60", "soft_time_limit=30"},
		{"celery.limit_long", celeryApp, "time_limit=90", "time_limit=120"},
		{"celery.no_limit", celeryApp, ", soft_time_limit=60, time_limit=90", ""},
		{"celery.limit_kills", celeryApp, ", soft_time_limit=60, time_limit=90)", ")\n#"}, // from the application's own settings, below
		{"celery.visibility", celeryApp, "600", "149"},
		{"celery.prefetch", celeryApp, "worker_prefetch_multiplier=1", "worker_prefetch_multiplier=100"},
		{"celery.prefetch", celeryApp, "worker_prefetch_multiplier=1", "worker_prefetch_multiplier=0"},
		{"celery.prefetch", amqp, "worker_prefetch_multiplier=1", "worker_prefetch_multiplier=100"},
		{"celery.expires", celeryApp, "time_limit=90", "time_limit=90, expires=60"},
		{"celery.transient", celeryApp, "multiplier=1", "multiplier=1, task_default_delivery_mode='transient'"},
		{"celery.no_confirms", amqp, `"confirm_publish": True`, ""},
		{"celery.publish_retry", celeryApp, "multiplier=1", "multiplier=1, task_publish_retry=False"},
		{"celery.connection_retry", celeryApp, "multiplier=1", "multiplier=1, broker_connection_retry=False"},
		{"celery.cancel", celeryApp, "multiplier=1", "multiplier=1, worker_cancel_long_running_tasks_on_connection_loss=True"},
		{"celery.eager", celeryApp, "multiplier=1", "multiplier=1, task_always_eager=True"},
		{"celery.solo", celeryApp, "multiplier=1", "multiplier=1, worker_pool='solo'"},
		{"celery.deduplicate", celeryApp, "multiplier=1", "multiplier=1, worker_deduplicate_successful_tasks=True"},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			a := &appCase{t: t, folder: folder, read: read, text: c.app}
			examine := func() doctor.Report {
				return a.examine("billing.py", func() doctor.Report {
					got, err := readsettings.Celery(ctxFor(t), python, "billing", []string{"billing.charge"})
					if err != nil || got.Version == "" {
						t.Fatal(got, err)
					}
					r := doctor.Examine(doctor.Facts{Celery: got, Jobs: theJob(t, job.Celery)})
					if len(r.Gaps) > 0 {
						t.Errorf("%+v", r.Gaps)
					}
					return r
				})
			}
			comesAndGoes(t, c.id, examine, func() {
				a.replaced(c.from, c.to)
				if strings.Contains(c.to, "#") {
					a.replaced("multiplier=1", "multiplier=1, task_time_limit=90")
				}
			}, func() { a.text = c.app })
		})
	}
}

// What Celery has instead is as good.
func TestCeleryWithoutFindings(t *testing.T) {
	python := python(t)
	t.Chdir(t.TempDir())
	for i, text := range []string{
		strings.Replace(celeryApp, "soft_time_limit=60, ", "acks_on_failure_or_timeout=False, ", 1), // a task that is killed by its limit comes back
		strings.Replace(strings.Replace(celeryApp, "soft_time_limit=60, ", "", 1), "multiplier=1", "multiplier=1, task_acks_on_failure_or_timeout=False", 1),
		strings.Replace(celeryApp, ", time_limit=90", "", 1),
	} {
		name := fmt.Sprint("app", i)
		if err := os.WriteFile(name+".py", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := readsettings.Celery(ctxFor(t), python, name, []string{"billing.charge"})
		if err != nil {
			t.Fatal(err)
		}
		if got := found(doctor.Examine(doctor.Facts{Celery: c, Jobs: theJob(t, job.Celery)})); len(got) > 0 {
			t.Errorf("%q of %s", got, text)
		}
	}
}

func TestCeleryApplicationsThatCannotBeRead(t *testing.T) {
	python := python(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"other":   strings.Replace(celeryApp, `"billing.charge"`, `"billing.other"`, 1),
		"broken":  "raise ValueError('hunter2')",
		"missing": "import module_that_is_not_there",
		"silent":  "import os; os._exit(0)",
		"daemon":  "import subprocess; subprocess.Popen(['sleep', '600'], close_fds=False)\n" + celeryApp,
	} {
		if err := os.WriteFile(name+"_app.py", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) (doctor.Report, error) {
		c, err := readsettings.Celery(ctxFor(t), python, name+"_app", []string{"billing.charge"})
		return doctor.Examine(doctor.Facts{Celery: c, Jobs: theJob(t, job.Celery)}), err
	}
	r, err := read("other")
	if err != nil || len(r.Findings) > 0 || len(r.Gaps) != 1 || r.Gaps[0].ID != "celery.task" || !r.Untold() {
		t.Errorf("%+v, %v", r, err)
	}
	see("celery.task")
	if r, err := read("daemon"); err != nil || len(r.Findings)+len(r.Gaps) > 0 {
		t.Errorf("an application that starts something: %+v, %v", r, err)
	}
	var failed *readsettings.ImportError
	if _, err := read("broken"); !errors.As(err, &failed) || failed.Error() != "ValueError" {
		t.Errorf("%v", err)
	}
	if _, err := read("missing"); !errors.As(err, &failed) || failed.Missing != "module_that_is_not_there" {
		t.Errorf("%v", err)
	}
	var interpreter *readsettings.InterpreterError
	if _, err := read("silent"); !errors.As(err, &interpreter) {
		t.Errorf("%v", err)
	}
	if _, err := readsettings.Celery(ctxFor(t), "/nowhere/python", "x", nil); !errors.As(err, &interpreter) {
		t.Errorf("%v", err)
	}
}
