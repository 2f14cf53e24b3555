package doctor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readqueue"
	"github.com/twiceproof/twiceproof/lab/redis"
)

// oneRedis keeps what it has answered.
var oneRedis = sync.OnceValues(func() (*redis.Server, error) {
	return redis.Start(context.Background(), "appendonly yes", "appendfsync everysec")
})

func examineRedis(t *testing.T, url string) doctor.Report {
	t.Helper()
	r, err := readqueue.Redis(ctxFor(t), url)
	if err != nil {
		t.Fatal(err)
	}
	if r.Version == "" {
		t.Error("no version")
	}
	return doctor.Examine(doctor.Facts{Redis: r})
}

func redisClient(t *testing.T, url string) *goredis.Client {
	t.Helper()
	options, err := goredis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := goredis.NewClient(options)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestRedis(t *testing.T) {
	s, err := oneRedis()
	started(t, s, err)
	client := redisClient(t, s.URL())
	for _, c := range []struct{ id, do, undo string }{
		{"redis.eviction", "CONFIG SET maxmemory-policy allkeys-lru", "CONFIG SET maxmemory-policy volatile-lru"},
		{"redis.no_persistence", "CONFIG SET appendonly no", "CONFIG SET appendonly yes"},
		{"redis.appendfsync", "CONFIG SET appendfsync no", "CONFIG SET appendfsync always"},
		{"redis.replica", "REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"},
		{"redis.unacked", "ZADD unacked_index 1000 tag", "ZREM unacked_index tag"},
	} {
		t.Run(c.id, func(t *testing.T) {
			do := func(command string) {
				t.Helper()
				var words []any
				for _, w := range strings.Fields(command) {
					words = append(words, w)
				}
				if err := client.Do(ctxFor(t), words...).Err(); err != nil {
					t.Fatal(err)
				}
			}
			comesAndGoes(t, c.id, func() doctor.Report { return examineRedis(t, s.URL()) }, func() { do(c.do) }, func() { do(c.undo) })
		})
	}
	t.Run("redis.snapshots", func(t *testing.T) {
		s, err := redis.Start(ctxFor(t), "save 3600 1")
		started(t, s, err)
		t.Cleanup(func() { _ = s.Stop() })
		client := redisClient(t, s.URL())
		set := func(value string) {
			if err := client.ConfigSet(ctxFor(t), "appendonly", value).Err(); err != nil {
				t.Fatal(err)
			}
		}
		set("yes")
		if err := client.ConfigSet(ctxFor(t), "appendfsync", "everysec").Err(); err != nil {
			t.Fatal(err)
		}
		comesAndGoes(t, "redis.snapshots", func() doctor.Report { return examineRedis(t, s.URL()) }, func() { set("no") }, func() { set("yes") })
	})
}

func TestRedisFailover(t *testing.T) {
	s, err := redis.Start(ctxFor(t), "appendonly yes", "appendfsync everysec")
	started(t, s, err)
	t.Cleanup(func() { _ = s.Stop() })
	other, err := redis.Start(ctxFor(t))
	started(t, other, err)
	t.Cleanup(func() { _ = other.Stop() })
	client, replica := redisClient(t, s.URL()), redisClient(t, other.URL())
	if err := client.ConfigSet(ctxFor(t), "repl-diskless-sync-delay", "0").Err(); err != nil {
		t.Fatal(err)
	}
	connected := func(want string) {
		t.Helper()
		ctx := ctxFor(t)
		for !strings.Contains(client.Info(ctx, "replication").Val(), "connected_slaves:"+want+"\r") {
			time.Sleep(10 * time.Millisecond)
			if ctx.Err() != nil {
				t.Fatal("the replica did not come or go")
			}
		}
	}
	examine := func() doctor.Report { return examineRedis(t, s.URL()) }
	comesAndGoes(t, "redis.failover", examine, func() {
		if err := replica.ReplicaOf(ctxFor(t), "127.0.0.1", fmt.Sprint(s.Port())).Err(); err != nil {
			t.Fatal(err)
		}
		connected("1")
	}, func() {
		if err := client.ConfigSet(ctxFor(t), "min-replicas-to-write", "1").Err(); err != nil {
			t.Fatal(err)
		}
	})
}

// Who may not ask for settings is told what could not be checked, and nothing else.
func TestRedisWithoutConfig(t *testing.T) {
	for setting, want := range map[string]string{"appendonly yes": "redis.appendfsync", "appendonly no": "redis.snapshots"} {
		s, err := redis.Start(ctxFor(t), setting, `rename-command CONFIG ""`)
		started(t, s, err)
		t.Cleanup(func() { _ = s.Stop() })
		r := examineRedis(t, s.URL())
		if len(r.Findings) > 0 || len(r.Gaps) != 1 || r.Gaps[0].ID != want || !r.Untold() {
			t.Errorf("%s: %+v", setting, r)
		}
	}
}

// Addresses are never shown, and a server that is not there is an error, no finding.
func TestQueueErrors(t *testing.T) {
	for _, address := range []string{"redis://:hunter2@127.0.0.1:1/0", "redis://:hunter2@127.0.0.1:port", "rediss://:hunter2@127.0.0.1:1"} {
		if _, err := readqueue.Redis(ctxFor(t), address); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"amqp://u:hunter2@127.0.0.1:1/", "amqp://u:hunter2@127.0.0.1:port/"} {
		if _, err := readqueue.RabbitMQ(ctxFor(t), address, "q"); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if slices.Contains(found(doctor.Examine(doctor.Facts{})), "") {
		t.Error("nothing at all was found wrong")
	}
}
