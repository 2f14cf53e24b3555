package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/rogpeppe/go-internal/testscript"

	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// TestDoctorScripts have a job, its database in SQLite and its queue.
func TestDoctorScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/doctor", Setup: replayedSetUp, RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "change": changeText, "sql": runSQL, "attribute": setAttribute, "versionless": versionless,
		},
	})
}

// replayedSetUp has the evidence of a replay as well, for the note.
func replayedSetUp(env *testscript.Env) error {
	evidence := filepath.Join(env.WorkDir, "replayed", "evidence", "charge.create")
	if err := os.CopyFS(evidence, os.DirFS("../../note/testdata/sqs-charge")); err != nil {
		return err
	}
	text, err := os.ReadFile("../../examples/sqs-charge/twiceproof.yaml")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(env.WorkDir, "replayed", "twiceproof.yaml"), text, 0o600); err != nil {
		return err
	}
	return sweepSetUp(env)
}

// attribute NAME VALUE changes the script's queue.
func setAttribute(ts *testscript.TestScript, _ bool, args []string) {
	client := awssqs.New(awssqs.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(ts.Value("sqs").(*lab.Endpoint).URL()), Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
	_, err := client.SetQueueAttributes(context.Background(), &awssqs.SetQueueAttributesInput{
		QueueUrl: aws.String(ts.Getenv("QUEUE_URL")), Attributes: map[string]string{args[0]: args[1]},
	})
	ts.Check(err)
}

var libraryVersion = regexp.MustCompile(`SQLite [0-9.]+`)

// versionless prints a file without the version of the library.
func versionless(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), libraryVersion.ReplaceAll([]byte(ts.ReadFile(args[0])), []byte("SQLite")), 0o600))
}

// doctorRun runs the command, which must show no secret, and gives what it found and what it could not check.
func doctorRun(t *testing.T, want int, args ...string) (found, gaps []string, errs string) {
	t.Helper()
	var o, e strings.Builder
	if got := run(t.Context(), append([]string{"doctor", "--json"}, args...), stdio{strings.NewReader(""), &o, &e}); got != want {
		t.Errorf("%q: status %d, want %d\n%s%s", args, got, want, o.String(), e.String())
	}
	if strings.Contains(o.String()+e.String(), "hunter2") {
		t.Errorf("%q shows the password:\n%s%s", args, o.String(), e.String())
	}
	var r struct {
		Schema   string
		Findings []struct{ ID string }
		Gaps     []struct{ ID string } `json:"could_not_check"`
	}
	if o.Len() > 0 {
		if err := json.Unmarshal([]byte(o.String()), &r); err != nil || r.Schema != doctorSchema {
			t.Fatalf("%v\n%s", err, o.String())
		}
	}
	for _, f := range r.Findings {
		found = append(found, f.ID)
	}
	for _, g := range r.Gaps {
		gaps = append(gaps, g.ID)
	}
	return found, gaps, e.String()
}

func noSources(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "QUEUE_URL", "BROKER_URL", "CELERY_BROKER_URL", "REDIS_URL"} {
		t.Setenv(name, "")
	}
}

// A server that is not there is an error with a hint, never a finding, and no address
// with its password is shown.
func TestDoctorUnreachable(t *testing.T) {
	noSources(t)
	for _, args := range [][]string{
		{"--dsn", "postgres://me:hunter2@127.0.0.1:1/shop"}, {"--dsn", "mysql://me:hunter2@127.0.0.1:1/shop"}, {"--dsn", "postgres://me:hunter2@127.0.0.1:port/shop"},
		{"--dsn", "sqlite:///nowhere/hunter.db"}, {"--dsn", "oracle://me:hunter2@db"},
		{"--broker", "redis://:hunter2@127.0.0.1:1/0"}, {"--broker", "amqp://me:hunter2@127.0.0.1:1//"}, {"--broker", "kafka://me:hunter2@b"},
		{"--queue-url", "http://127.0.0.1:1/000000000000/charges"}, {"--queue-url", "charges"},
		{"--celery", "app", "--python", "/nowhere/python"}, {"--sidekiq", "app.rb", "--ruby", "/nowhere/ruby"}, {"--sidekiq-config", "/nowhere/sidekiq.yml"},
	} {
		if strings.HasPrefix(args[1], "http") {
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			t.Setenv("AWS_REGION", "us-east-1")
			t.Setenv("AWS_ACCESS_KEY_ID", "id")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
		}
		if found, _, errs := doctorRun(t, statusUsage, args...); len(found) > 0 || !strings.HasPrefix(errs, "error: ") || !strings.Contains(errs, "hint: ") {
			t.Errorf("%q: %q %s", args, found, errs)
		}
	}
}

// The application's own settings, by way of the command: its output does not get out.
func TestDoctorOnApplications(t *testing.T) {
	noSources(t)
	python, err := filepath.Abs("../../bin/python/bin/python3")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(python); err == nil {
		write("twiceproof.yaml", doctorJob("celery", "billing.charge", "kwargs.order"))
		write("billing.py", "from celery import Celery\nprint('hunter2')\napp = Celery(broker='redis://:hunter2@nowhere')\napp.conf.update(worker_prefetch_multiplier=1, broker_transport_options={'visibility_timeout': 600})\n"+
			"@app.task(name='billing.charge', acks_late=True, soft_time_limit=60)\ndef charge(order): pass\n")
		found, gaps, _ := doctorRun(t, statusFound, "--celery", "billing:app", "--python", python)
		if !slices.Equal(found, []string{"celery.worker_lost"}) || !slices.Equal(gaps, []string{"database", "queue"}) {
			t.Errorf("%q %q", found, gaps)
		}
		write("billing.py", "raise ValueError('hunter2')")
		if _, _, errs := doctorRun(t, statusUsage, "--celery", "billing", "--python", python); !strings.Contains(errs, "ValueError") {
			t.Error(errs)
		}
	}
	if exec.CommandContext(t.Context(), "ruby", "-e", "require 'sidekiq'").Run() == nil {
		write("twiceproof.yaml", doctorJob("sidekiq", "ChargeWorker", "args[0]"))
		write("app.rb", "require 'sidekiq'\nputs 'hunter2'\nclass ChargeWorker\n include Sidekiq::Worker\nend\n")
		if err := os.Mkdir("config", 0o700); err != nil {
			t.Fatal(err)
		}
		write("config/sidekiq.yml", ":timeout: 8\n")
		if found, _, _ := doctorRun(t, statusFound, "--sidekiq", "app.rb"); !slices.Equal(found, []string{"sidekiq.timeout", "sidekiq.fetch"}) {
			t.Errorf("%q", found)
		}
	}
}

func doctorJob(queue, message, key string) string {
	return "version: 1\njobs:\n  charge.create:\n    queue: " + queue + "\n    message: " + message + "\n    operation: {key: ['" + key + "']}\n" +
		"    effect: {kind: outside}\n    longest_run: 40s\n    lease: 2m\n    stale_claim: {policy: hold}\n    retention: 400d\n"
}

// What takes long says so; what does not is silent.
func TestDoctorSaysWhatTakesLong(t *testing.T) {
	said := make(lines, 1)
	f := doctorFlags{recordFlags: recordFlags{std: stdio{err: said}}}
	is, err := f.slowly(t.Context(), examined{words: "the queue", read: func(context.Context) (string, error) {
		if line := <-said; line != "still reading the queue\n" {
			t.Errorf("%q", line)
		}
		return "a queue", nil
	}})
	if err != nil || is != "a queue" {
		t.Errorf("%q %v", is, err)
	}
	var silent strings.Builder
	f.std.err = &silent
	if _, err := f.slowly(t.Context(), examined{read: func(context.Context) (string, error) { return "", nil }}); err != nil || silent.Len() > 0 {
		t.Errorf("%q %v", silent.String(), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	cancel()
	if _, err := f.slowly(ctx, examined{read: func(context.Context) (string, error) { return "", os.ErrClosed }}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interruption is told as %v", err)
	}
}
