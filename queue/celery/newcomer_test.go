package celery

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// oldTask is the task of docs/celery.md before it was guarded.
const oldTask = `import os

import requests
from celery import Celery

app = Celery("billing")


@app.task(name="billing.charge")
def charge(order_id, amount_cents):
    order = {"order_id": order_id, "amount_cents": amount_cents}
    requests.post(os.environ["PAYMENTS_URL"] + "/charges", json=order, timeout=30).raise_for_status()
`

// TestFirstTenMinutes does what docs/celery.md says, from pip install to a green replay, with
// the code of that page as it stands there.
func TestFirstTenMinutes(t *testing.T) {
	if os.Getenv("TWICEPROOF_FULL") == "" {
		t.Skip("it installs from PyPI; TWICEPROOF_FULL=1 runs it")
	}
	shop := newcomer{t, t.TempDir()}
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(shop.folder, "twiceproof")
	shop.must("go", "build", "-C", repository, "-o", tool, "./cmd/twiceproof")
	shop.must("python3", "-m", "venv", "venv")
	shop.must("venv/bin/pip", "install", "--quiet", "twiceproof[celery] @ file://"+repository+"/python", "celery[redis]", "psycopg[binary]", "requests")
	page := readPage(t, "../../docs/celery.md")
	shop.write("twiceproof.yaml", page.block("version: 1\njobs:"))
	shop.write("twiceproof.replay.yaml", page.block("version: 1\nversions:"))
	shop.write("old/tasks.py", oldTask)
	shop.write("new/tasks.py", page.block("import os\n"))
	shop.write("schema.sql", shop.must(tool, "schema", "--dialect", "postgres"))
	for only, want := range map[string]string{
		"old/sequential": "duplicate  4 effects", "old/killed_after_effect": "duplicate  2 effects",
		"new/sequential": "ok  1 effect, completed", "new/killed_after_effect": "ok  1 effect, completed",
	} {
		out, _ := shop.run(tool, "replay", ".", "--only", only) // 1 for old code
		if !strings.Contains(out, want) {
			t.Errorf("%s: want %s\n%s", only, want, out)
		}
	}
}

// newcomer has an empty folder, in which a virtual environment comes first.
type newcomer struct {
	*testing.T
	folder string
}

func (n newcomer) run(name string, args ...string) (string, error) {
	command := exec.CommandContext(n.Context(), name, args...)
	command.Dir = n.folder
	command.Env = append(os.Environ(), "PATH="+filepath.Join(n.folder, "venv", "bin")+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	return string(out), err
}

func (n newcomer) must(name string, args ...string) string {
	n.Helper()
	out, err := n.run(name, args...)
	if err != nil {
		n.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (n newcomer) write(name, content string) {
	n.Helper()
	path := filepath.Join(n.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		n.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		n.Fatal(err)
	}
}

// page is one of the documentation, with the code that it shows.
type page struct {
	*testing.T
	text string
}

func readPage(t *testing.T, path string) page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return page{t, string(text)}
}

func (p page) block(begin string) string {
	p.Helper()
	found := regexp.MustCompile("(?s)```\\w*\n(" + begin + ".*?)```").FindStringSubmatch(p.text)
	if found == nil {
		p.Fatalf("the page has no code that begins with %q", begin)
	}
	return found[1]
}
