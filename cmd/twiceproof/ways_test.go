package main

import (
	"path/filepath"
	"testing"

	"github.com/twiceproof/twiceproof/lab/postgres"
	"github.com/twiceproof/twiceproof/lab/redis"
	lab "github.com/twiceproof/twiceproof/lab/sqs"
)

// The pages of the whole way show what their commands print, on servers that keep what
// they were given, as those at work do.
func TestWays(t *testing.T) {
	noSources(t)
	server, err := postgres.Start(t.Context(), "fsync=on", "full_page_writes=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for queue, broker := range map[string]func(*testing.T) []string{"sqs": queueOfCharges, "celery": keepingRedis, "sidekiq": keepingRedis} {
		t.Run(queue, func(t *testing.T) {
			if is, _ := hasCelery("celery"); queue == "celery" && !is {
				t.Skip("there is no Python with Celery: make bin/python")
			}
			if err := server.CreateDatabase(t.Context(), queue, ""); err != nil {
				t.Fatal(err)
			}
			env := append(broker(t), "CLONE="+clone, "DATABASE_URL="+server.DSN(queue), "PYTHON="+python(), "LC_ALL=C.UTF-8",
				"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@shop.example", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@shop.example")
			walk(t, "../../docs/way-"+queue+".md", env...)
		})
	}
}

// queueOfCharges is a queue as it was made some time ago, with its dead-letter queue.
func queueOfCharges(t *testing.T) []string {
	t.Helper()
	e, err := lab.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	_, err = e.CreateQueue("charges-dead", map[string]string{"MessageRetentionPeriod": "1209600"})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := e.CreateQueue("charges", map[string]string{
		"VisibilityTimeout": "30", "RedrivePolicy": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:charges-dead","maxReceiveCount":"5"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"QUEUE_URL=" + queue, "AWS_ENDPOINT_URL_SQS=" + e.URL(), "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=id",
		"AWS_SECRET_ACCESS_KEY=secret", "AWS_EC2_METADATA_DISABLED=true",
	}
}

func keepingRedis(t *testing.T) []string {
	t.Helper()
	s, err := redis.Start(t.Context(), "appendonly yes", "appendfsync always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return []string{"REDIS_URL=" + s.URL()}
}

// The control: a page that shows another text, another status or a part is found.
func TestWaysControl(t *testing.T) {
	shown := commandsOf("$ echo one \\\n  two\none two\n$ echo three; false\nthree\n[1]\n$ cd /; pwd\n/\n$ pwd\n/\n$ printf '> a\\n[b]\\n'\n> a\n[b]\n")
	said, err := runCommands(t.Context(), t.TempDir(), nil, shown)
	if err != nil || len(said) != 5 {
		t.Fatal(said, err)
	}
	for i, c := range shown {
		if said[i] != c {
			t.Errorf("%+v, the page shows %+v", said[i], c)
		}
	}
	if _, err := runCommands(t.Context(), t.TempDir(), nil, commandsOf("$ exit 3\n$ echo never\n")); err == nil {
		t.Error("a shell that ended is not told")
	}
	for page, want := range map[string]bool{
		"a\nb\nc\n": true, "a\n…\n": true, "…\nb\n…\n": true, "…\n": true, "a\n…\nc\n": true, "…a\nb\nc\n": true, "a…\nb\nc…\n": true,
		"a\nb\n": false, "a\nc\n": false, "": false, "b\n…\n": false, "…\nb\n": false, "a\nb\n.\n": false, "a\nb\nc\nd\n": false,
	} {
		if matches(page, "a\nb\nc\n") != want {
			t.Errorf("%q: %v", page, !want)
		}
	}
}
