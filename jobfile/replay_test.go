package jobfile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestLoadReplayReadsEveryField(t *testing.T) {
	r, err := LoadReplay("testdata/twiceproof.replay.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r.places = nil
	want := &Replay{
		Path: "testdata/twiceproof.replay.yaml", Version: 1, Job: "charge.create", JobFile: "jobs/twiceproof.yaml",
		Versions: []CodeVersion{
			{Name: "old", Build: "go build -o {out}/old ./old", Run: "{out}/old"},
			{Name: "new", Build: "go build -o {out}/new ./new", Run: "{out}/new", Guarded: true},
		},
		Message:     Message{Body: `{"order": {"id": "{{key}}"}, "amount_cents": 1250}`, Attributes: map[string]string{"tenant": "t1"}},
		Environment: Environment{Database: "DB", Queue: "Q", Broker: "B", Outside: "O", JobFile: "F", Mail: "M"},
		Set:         map[string]string{"AWS_REGION": "us-east-1"},
		Database:    Database{Kind: Postgres, Schema: []string{"schema.sql"}, URL: "postgres://staging/app"},
		Queue:       ReplayQueue{Visibility: 45 * time.Second, MaxReceiveCount: 3, URL: "http://staging/queue"},
		Outside:     OutsideService{Act: "POST /charges", Operation: "body.order_id", Reference: "body.reference", LookUp: "GET /charges/{reference}", Remembers: true, Mail: Mail{Operation: "subject", Pattern: "(.+)"}},
		Effects:     Effects{Count: "SELECT count(*) FROM charges WHERE order_id = $1", Statement: "INSERT INTO charges"},
		Backfill:    "backfill.sql",
		Sweep:       "twiceproof sweep --apply",
		Enqueue:     []string{"{out}/enqueue {{key}}"},
		AllowHosts:  []string{"staging"}, ConcurrentRuns: 200,
		Timeouts: Timeouts{Ready: time.Second, Step: 2 * time.Second, Recovery: 3 * time.Second},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got:\n%+v\nwant:\n%+v", r, want)
	}
	if got, want := r.JobFilePath(), filepath.Join("testdata", "jobs", "twiceproof.yaml"); got != want {
		t.Errorf("job file %s, want %s", got, want)
	}
	if got := r.Resolve("/etc/schema.sql"); got != "/etc/schema.sql" {
		t.Errorf("an absolute path became %s", got)
	}
}

func TestReplayDefaults(t *testing.T) {
	r, err := ParseReplay("twiceproof.replay.yaml", []byte("version: 1\nversions: {new: {run: ./worker}}\nmessage: {body: '{{key}}'}\ntimeouts: {step: 1s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r.places = nil
	want := &Replay{
		Path: "twiceproof.replay.yaml", Version: 1, JobFile: "twiceproof.yaml",
		Versions: []CodeVersion{{Name: "new", Run: "./worker"}}, Message: Message{Body: "{{key}}"},
		Environment: Environment{Database: "DATABASE_URL", Queue: "QUEUE_URL", Outside: "CHARGE_URL", JobFile: "TWICEPROOF_FILE", Mail: "SMTP_ADDR"},
		Database:    Database{Kind: SQLite}, Queue: ReplayQueue{Visibility: 30 * time.Second}, ConcurrentRuns: 100,
		Timeouts: Timeouts{Ready: 20 * time.Second, Step: time.Second, Recovery: 20 * time.Second},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got:\n%+v\nwant:\n%+v", r, want)
	}
}

func TestFill(t *testing.T) {
	m := Message{Body: `{"id": "{{key}}", "again": "x-{{key}}"}`, Attributes: map[string]string{"id": "{{key}}", "tenant": "t1"}}
	for _, key := range []string{"42", `a"b\c`, "line\nbreak", "<&>", "caf\u00e9", "trailing ", "{{key}}"} {
		body, attributes := m.Fill(key)
		var back map[string]string
		if err := json.Unmarshal([]byte(body), &back); err != nil || back["id"] != key || back["again"] != "x-"+key {
			t.Errorf("%q: %s, %v", key, body, err)
		}
		if attributes["id"] != key || attributes["tenant"] != "t1" {
			t.Errorf("%q: %v", key, attributes)
		}
	}
	if m.Attributes["id"] != keyMark {
		t.Error("filling changed the template")
	}
	if body, _ := (Message{Body: "order {{key}}"}).Fill(`a"b`); body != `order a"b` {
		t.Errorf("a plain body became %s", body)
	}
	if body, _ := (Message{Body: `{"id": {{key}}}`}).Fill("42"); body != `{"id": 42}` {
		t.Errorf("a number became %s", body)
	}
}

func TestNotUTF8(t *testing.T) {
	for text, line := range map[string]int{"version: 1\ntable: \xff\n": 2, "version: \x00": 1} {
		_, err := Parse("f.yaml", []byte(text))
		if list := Errors(err); len(list) != 1 || list[0].Line != line || list[0].What != "is not UTF-8 text" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(path, make([]byte, maxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	if list := Errors(err); len(list) != 1 || list[0].What != "is larger than 128 KiB, too large for a settings file" {
		t.Errorf("%v", err)
	}
}

func TestNestedTooDeep(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", maxBytes), "a: " + strings.Repeat("{", 101), strings.Repeat("- ", 101) + "a", strings.Repeat("? ", 101)} {
		_, err := Parse("f.yaml", []byte(text))
		if list := Errors(err); len(list) != 1 || list[0].What != "is nested more than 100 deep" {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if nestsTooDeep(strings.Repeat("- {a: [1]}\n", 1000) + strings.Repeat("-", 300)) {
		t.Error("a long flat file is too deep")
	}
}

// Celery makes its queue on SQS with half an hour.
func TestVisibilityOfCeleryOnSQS(t *testing.T) {
	const file = "version: 1\nversions: {new: {run: x}}\nmessage: {body: '{{key}}'}\n"
	for queue, want := range map[string]time.Duration{
		"{broker: sqs}": 30 * time.Minute, "{broker: sqs, visibility: 30s}": 30 * time.Second, "{broker: redis}": 30 * time.Second,
	} {
		r, err := ParseReplay("twiceproof.replay.yaml", []byte(file+"queue: "+queue+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if r.Queue.Visibility != want {
			t.Errorf("%s: %s, want %s", queue, r.Queue.Visibility, want)
		}
	}
}
