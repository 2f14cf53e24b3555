package respwire_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The scripts do what workers do: a publisher, a poll, a transaction, and a listener.
const (
	pythonScript = `
import sys, redis
c = redis.Redis.from_url(sys.argv[1] + "/0?protocol=" + sys.argv[2])
c.lpush("queue", "m")
assert c.brpop(["other", "queue"], 1) is not None
with c.pipeline() as p:
    p.zadd("unacked_index", {"tag": 1.5})
    p.hset("unacked", "tag", "m")
    assert p.execute() == [1, 1]
assert c.brpop("queue", 1) is None
s = c.pubsub(ignore_subscribe_messages=True)
s.subscribe("news")
s.get_message(timeout=10)
c.publish("news", "hey")
while (m := s.get_message(timeout=10)) is None: pass
assert m["data"] == b"hey", m
s.close()
assert c.register_script("return ARGV[1]")(["k"], ["v"]) == b"v"
`
	rubyScript = `
require "redis"
c = Redis.new(url: "#{ARGV[0]}/0")
c.lpush("queue", "m")
c.brpop("other", "queue", timeout: 1) or raise "no message"
c.multi { |p| p.zadd("unacked_index", 1.5, "tag"); p.hset("unacked", "tag", "m") } == [true, 1] or raise "transaction"
c.brpop("queue", timeout: 1) and raise "a message"
Redis.new(url: "#{ARGV[0]}/0").subscribe("news") do |on|
  on.subscribe { c.publish("news", "hey") }
  on.message { |_, m| m == "hey" or raise m; throw :heard }
end rescue UncaughtThrowError
begin
  c.evalsha("0" * 40, ["k"], ["v"])
rescue Redis::CommandError
  c.eval("return ARGV[1]", ["k"], ["v"])
end
`
)

// Other languages' clients get what they get without the proxy, and make the same steps.
func TestClients(t *testing.T) {
	for name, command := range map[string][]string{
		"redis-py RESP2": {python(), "-c", pythonScript, "", "2"},
		"redis-py RESP3": {python(), "-c", pythonScript, "", "3"},
		"redis-rb":       {"ruby", "-e", rubyScript, ""},
	} {
		t.Run(name, func(t *testing.T) {
			library := map[string][]string{python(): {"-c", "import redis"}, "ruby": {"-e", `require "redis"`}}[command[0]]
			if err := exec.CommandContext(t.Context(), command[0], library...).Run(); err != nil {
				t.Skipf("%s has no library for Redis: %v", command[0], err)
			}
			s := start(t)
			command[3] = "redis://" + s.proxy.Addr()
			if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := []string{"LPUSH queue [1]", "BRPOP other queue [message]", "Deliver queue []",
				"MULTI; ZADD unacked_index; HSET unacked; EXEC [EXEC 1, 1]", "BRPOP queue [nil]", "PUBLISH news [1]"}
			got := slices.DeleteFunc(s.Steps(), func(one string) bool {
				return strings.HasPrefix(one, "CLIENT ") || strings.HasPrefix(one, "SELECT") || strings.HasPrefix(one, "EVAL") || strings.HasPrefix(one, "SCRIPT")
			})
			if !slices.Equal(got, want) || len(s.Unreadable()) > 0 {
				t.Errorf("steps\n\t%s\nwant\n\t%s\nnotes %q", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"), s.Unreadable())
			}
		})
	}
}

// python is the project's own, where that is made.
func python() string {
	own, err := filepath.Abs("../../bin/python/bin/python")
	if err == nil {
		if _, err = os.Stat(own); err == nil {
			return own
		}
	}
	return "python3"
}
