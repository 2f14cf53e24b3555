package replay

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/hinted"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/queue"
)

func TestCheckSafe(t *testing.T) {
	for _, c := range []struct {
		name    string
		spec    jobfile.Replay
		environ []string
		want    string // in the error; empty for safe
	}{
		{"the lab", jobfile.Replay{}, []string{"RAILS_ENV=test", "PATH=/bin"}, ""},
		{"a database elsewhere", jobfile.Replay{Database: jobfile.Database{URL: "postgres://u:secret@db.example/shop"}}, nil, "database.url is on db.example"},
		{"a queue elsewhere", jobfile.Replay{Queue: jobfile.ReplayQueue{URL: "https://sqs.eu-west-1.amazonaws.com/1/q"}}, nil, "queue.url is on sqs.eu-west-1.amazonaws.com"},
		{"an allowed host", jobfile.Replay{AllowHosts: []string{"db.example"}, Database: jobfile.Database{URL: "postgres://db.example/shop"}}, nil, "throw-away ones only"},
		{"an allowed host's production", jobfile.Replay{AllowHosts: []string{"db.example"}, Database: jobfile.Database{URL: "postgres://db.example/shop_PRODUCTION"}}, nil, "looks like production"},
		{"a database here", jobfile.Replay{Database: jobfile.Database{URL: "postgres://127.0.0.1:5432/shop"}}, nil, "throw-away ones only"},
		{"what is no address", jobfile.Replay{Database: jobfile.Database{URL: "u:secret@tcp(db:3306)/shop"}}, nil, "not an address that can be read"},
		{"production by the environment", jobfile.Replay{}, []string{"RAILS_ENV=production"}, "RAILS_ENV says"},
		{"production by settings", jobfile.Replay{}, []string{"DJANGO_SETTINGS_MODULE=shop.settings.prod"}, "DJANGO_SETTINGS_MODULE says"},
		{"the file has the last word", jobfile.Replay{Set: map[string]string{"RAILS_ENV": "test"}}, []string{"RAILS_ENV=production"}, ""},
		{"production by the file", jobfile.Replay{Set: map[string]string{"APP_ENV": "Production"}}, []string{"APP_ENV=test"}, "APP_ENV says"},
		{"a server set for the workers", jobfile.Replay{Set: map[string]string{"REDIS_URL": "redis://:secret@cache.example:6379"}}, nil, "set.REDIS_URL is on cache.example"},
		{"an allowed one", jobfile.Replay{AllowHosts: []string{"cache.example"}, Set: map[string]string{"REDIS_URL": "redis://cache.example"}}, nil, ""},
		{"the proxies", jobfile.Replay{Set: map[string]string{"no_proxy": "*"}}, nil, "set.no_proxy would lead the workers past"},
		{"an address of the replay's", jobfile.Replay{Environment: jobfile.Environment{Database: "DB"}, Set: map[string]string{"DB": "sqlite:shop.db"}}, nil, "set.DB is a variable by which environment"},
		{"the file of the authority", jobfile.Replay{Environment: jobfile.Environment{CA: "DB_CA"}, Set: map[string]string{"DB_CA": "rds.pem"}}, nil, "set.DB_CA is a variable by which environment"},
		{"HTTP meets the proxy", jobfile.Replay{Set: map[string]string{"ISSUER": "https://login.example"}}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckSafe(Request{Spec: &c.spec, Environ: c.environ})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			var p *hinted.Error
			if err != nil && (!errors.As(err, &p) || p.Hint == "" || strings.Contains(p.What+p.Hint, "secret")) {
				t.Errorf("want a hint and no password: %+v", err)
			}
		})
	}
}

func TestCheckHost(t *testing.T) {
	for address, safe := range map[string]bool{
		"postgres://localhost/shop": true, "postgres://127.0.0.1:5432/shop": true, "postgres://127.9.9.9/shop": true,
		"postgres://[::1]:5432/shop": true, "postgres://staging.example/shop": true,
		"postgres://10.0.0.7/shop": false, "postgres://localhost.example/shop": false, "postgres://0.0.0.0/shop": false,
		"postgres://127.0.0.1@db.example/shop": false, "postgres://[::ffff:10.0.0.7]/shop": false,
		"postgres://127.0.0.1/prod": false, "postgres:///shop": false, "host=db.example": false, "": false, "://": false,
	} {
		if err := checkHost("database.url", address, []string{"staging.example"}); (err == nil) != safe {
			t.Errorf("%s: %v, want safe %t", address, err, safe)
		}
	}
}

func TestEnvironment(t *testing.T) {
	inherited := []string{
		"PATH=/bin", "LANG=C", "DATABASE_URL=postgres://u:secret@db.example/shop", "READ_URL=mysql://db.example/shop",
		"AWS_PROFILE=live", "AWS_SECRET_ACCESS_KEY=secret", "aws_session_token=secret", "AWS_ENDPOINT_URL_SQS=https://sqs.example",
		"HTTPS_PROXY=http://proxy.example", "all_proxy=socks5://proxy.example", "NO_PROXY=*",
		"PGHOSTADDR=10.0.0.7", "PGPASSWORD=secret", "MYSQL_UNIX_PORT=/run/mysqld.sock", "CACHE=redis://127.0.0.1:6379", "STAGING=amqp://staging.example", "ISSUER=https://login.example",
		"PGCHANNELBINDING=require", "TWO_URL=postgres://u@127.0.0.1:5432,db.example:5432/shop", "HASH_URL=postgres://u:se#cret%@db.example/shop",
		"GO_DSN=u:secret@tcp(db.example:3306)/shop", "LIBPQ=user=u host=db.example dbname=shop", "QUERY_URL=postgres:///shop?host=db.example",
		"GO_LOCAL=u@tcp([::1]:3306)/shop", "SOCKET=host=/run/postgresql dbname=shop", "TWO_LOCAL=postgres://u@127.0.0.1:5432,[::1]:5432/shop",
	}
	spec := &jobfile.Replay{
		AllowHosts:  []string{"staging.example"},
		Environment: jobfile.Environment{Database: "DATABASE_URL", Queue: "QUEUE_URL", Broker: "AWS_ENDPOINT_URL_SQS", Outside: "", JobFile: "TWICEPROOF_FILE"},
		Set:         map[string]string{"LANG": "C.UTF-8", "QUEUE_URL": "elsewhere", "AWS_REGION": "eu-west-1"},
	}
	before := slices.Clone(inherited)
	env := environment(inherited, spec, addresses{
		database: "sqlite:///lab.db", queue: queue.Addresses{Queue: "http://127.0.0.1:1/q", Broker: "http://127.0.0.1:2"}, outside: "http://127.0.0.1:3",
		jobFile: "/lab/twiceproof.yaml", refuse: "http://127.0.0.1:4", temp: "/lab/case-1",
	})
	if !slices.Equal(inherited, before) {
		t.Error("the inherited environment was changed")
	}
	last := map[string]string{} // exec takes the last of a name
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		last[name] = value
	}
	for name, want := range map[string]string{
		"PATH": "/bin", "LANG": "C.UTF-8", "DATABASE_URL": "sqlite:///lab.db", "QUEUE_URL": "http://127.0.0.1:1/q",
		"AWS_ENDPOINT_URL_SQS": "http://127.0.0.1:2", "TWICEPROOF_FILE": "/lab/twiceproof.yaml", "AWS_REGION": "eu-west-1",
		"AWS_SECRET_ACCESS_KEY": "lab", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_CONFIG_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true",
		"TMPDIR": "/lab/case-1", "HTTP_PROXY": "http://127.0.0.1:4", "HTTPS_PROXY": "http://127.0.0.1:4", "http_proxy": "http://127.0.0.1:4", "https_proxy": "http://127.0.0.1:4",
		"NO_PROXY": "127.0.0.1,localhost", "CACHE": "redis://127.0.0.1:6379", "STAGING": "amqp://staging.example", "ISSUER": "https://login.example",
		"GO_LOCAL": "u@tcp([::1]:3306)/shop", "SOCKET": "host=/run/postgresql dbname=shop", "TWO_LOCAL": "postgres://u@127.0.0.1:5432,[::1]:5432/shop",
	} {
		if last[name] != want {
			t.Errorf("%s is %q, want %q", name, last[name], want)
		}
	}
	for name, value := range last {
		if slices.Contains([]string{"READ_URL", "AWS_PROFILE", "aws_session_token", "all_proxy", "PGHOSTADDR", "PGPASSWORD", "MYSQL_UNIX_PORT", "PGCHANNELBINDING", "HASH_URL", ""}, name) ||
			strings.Contains(value, "secret") || strings.Contains(value, "db.example") || value == "http://127.0.0.1:3" {
			t.Errorf("%s=%s reaches a worker", name, value)
		}
	}
}

// The authority is told by the variables that clients read, unless the file says otherwise; and
// where there is none, what was inherited stays.
func TestEnvironmentOfTLS(t *testing.T) {
	spec := &jobfile.Replay{Environment: jobfile.Environment{CA: "DB_CA"}, Set: map[string]string{"CURL_CA_BUNDLE": "mine.pem"}}
	inherited := []string{"SSL_CERT_FILE=system.pem"}
	with := environment(inherited, spec, addresses{authority: "/lab/case-1/ca.pem"})
	for _, want := range []string{"DB_CA=/lab/case-1/ca.pem", "SSL_CERT_FILE=/lab/case-1/ca.pem", "PGSSLROOTCERT=/lab/case-1/ca.pem", "NODE_EXTRA_CA_CERTS=/lab/case-1/ca.pem", "REQUESTS_CA_BUNDLE=/lab/case-1/ca.pem", "CURL_CA_BUNDLE=mine.pem"} {
		if !slices.Contains(with, want) {
			t.Errorf("%s is not there", want)
		}
	}
	without := environment(inherited, spec, addresses{})
	if !slices.Contains(without, "SSL_CERT_FILE=system.pem") || slices.ContainsFunc(without, func(v string) bool { return strings.HasPrefix(v, "DB_CA=") || strings.HasPrefix(v, "PGSSLROOTCERT=") }) {
		t.Errorf("without TLS: %q", without)
	}
}

func TestSecuredQueue(t *testing.T) {
	for broker, want := range map[string]string{
		"redis://127.0.0.1:1/0":            "rediss://127.0.0.1:1/0?ssl_cert_reqs=CERT_REQUIRED",
		"amqp://guest:guest@127.0.0.1:1//": "amqps://guest:guest@127.0.0.1:1//",
	} {
		spec := &jobfile.Replay{Queue: jobfile.ReplayQueue{TLS: true}}
		w := &world{lab: &lab{Request: Request{Spec: spec, Job: job.Job{Queue: job.Celery}}}}
		if got := w.secured(queue.Addresses{Broker: broker}).Broker; got != want {
			t.Errorf("%s: %s", broker, got)
		}
		spec.Queue.TLS = false
		if got := w.secured(queue.Addresses{Broker: broker}).Broker; got != broker {
			t.Errorf("%s without TLS: %s", broker, got)
		}
	}
}
