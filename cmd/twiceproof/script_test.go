package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// workers is the folder of the example's workers, built once.
var workers string

func TestMain(m *testing.M) {
	testscript.Main(buildFirst{m}, map[string]func(){"twiceproof": main, "worker": worker})
}

type buildFirst struct{ m *testing.M }

func (b buildFirst) Run() int {
	folder, err := os.MkdirTemp("", "twiceproof-workers-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	build := exec.Command("go", "build", "-o", folder+"/", "./old", "./new")
	build.Dir = "../../examples/sqs-charge"
	if text, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the example's workers: %v\n%s", err, text)
		return 1
	}
	workers = folder
	return b.m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Setup: setUp, Condition: hasCelery, RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"change": changeText, "nothing-left": nothingLeft, "await": await, "matches-schema": matchesSchema, "status": status,
		},
	})
}

// python is the interpreter that the tests of the Python package have made; it has Celery.
func python() string {
	path, err := filepath.Abs("../../bin/python/bin/python")
	if err != nil {
		return ""
	}
	return path
}

// hasCelery is the condition [celery].
func hasCelery(condition string) (bool, error) {
	if condition != "celery" {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	_, err := os.Stat(python())
	return err == nil, nil
}

// setUp gives each script a job of its own, a temporary folder that is seen to be
// empty afterwards, a FIFO, and a port that nobody has.
func setUp(env *testscript.Env) error {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // what is started does not inherit that nohup ignores it
	job := filepath.Join(env.WorkDir, "job")
	if err := os.CopyFS(job, os.DirFS("testdata/job")); err != nil {
		return err
	}
	schema, err := os.ReadFile("../../examples/sqs-charge/schema.sqlite.sql")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(job, "schema.sql"), schema, 0o600); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(env.WorkDir, "temp"), 0o700); err != nil {
		return err
	}
	if err := syscall.Mkfifo(filepath.Join(env.WorkDir, "fifo"), 0o600); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "temp"))
	env.Setenv("WORKERS", workers)
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		return err
	}
	env.Setenv("EXAMPLES", examples)
	env.Setenv("PYTHON", python())
	env.Setenv("PORT", fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	return nil
}

// changeText, as change FILE OLD NEW, replaces one piece of a file, which must be there.
func changeText(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
}

// nothing-left: no process that this script started still runs, and the temporary
// folder is empty. Every process inherits the script's own TMPDIR.
func nothingLeft(ts *testscript.TestScript, neg bool, _ []string) {
	if left := whatIsLeft(ts); (left == "") == neg {
		ts.Fatalf("left: %q", left)
	}
}

func whatIsLeft(ts *testscript.TestScript) string {
	temp := ts.MkAbs(ts.Getenv("WORK") + "/temp")
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	ts.Check(err)
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err == nil && bytes.Contains(environ, []byte("WORK="+ts.Getenv("WORK")+"\x00")) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			return "process " + string(name)
		}
	}
	left, err := os.ReadDir(temp)
	ts.Check(err)
	if len(left) > 0 {
		return "in the temporary folder " + left[0].Name()
	}
	return ""
}

// await FIFO waits until a worker has written a line.
func await(ts *testscript.TestScript, _ bool, args []string) {
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	ts.Check(f.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = bufio.NewReader(f).ReadString('\n')
	ts.Check(err)
}

// status N COMMAND... runs it and wants exactly this exit status. What it says is in
// the files out and err.
func status(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("sh", append([]string{"-c", `"$@" > "$WORK/out" 2> "$WORK/err"; echo $? > "$WORK/status"`, "sh"}, args[1:]...)...)
	ts.Check(err)
	if got := strings.TrimSpace(ts.ReadFile("status")); got != args[0] {
		ts.Fatalf("exit status %s, want %s; it said:\n%s%s", got, args[0], ts.ReadFile("out"), ts.ReadFile("err"))
	}
}

// matches-schema FILE holds a JSON report against the schema that is published.
func matchesSchema(ts *testscript.TestScript, _ bool, args []string) {
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	root, err := reportSchema()
	ts.Check(err)
	if list := misfits(root, root, value, "report"); len(list) > 0 {
		ts.Fatalf("%s does not match the schema: %q", args[0], list)
	}
}
