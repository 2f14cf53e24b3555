package respwire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/twiceproof/twiceproof/wire"
	"github.com/twiceproof/twiceproof/wire/respwire"
	"github.com/twiceproof/twiceproof/wire/wiretest"
)

// In both versions of the protocol a client gets what it gets without the proxy, and the
// steps are the same.
func TestSteps(t *testing.T) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			s := start(t)
			c := client(t, s.proxy.Addr(), protocol)
			ctx := t.Context()
			job := map[string]any{"b": 1, "a": 2}
			for _, err := range []error{
				c.Set(ctx, "order:17", "paid", 0).Err(),
				c.HSet(ctx, "h", job).Err(),
				c.ZAdd(ctx, "schedule", goredis.Z{Score: 1.5, Member: "m"}).Err(),
				c.Eval(ctx, "return redis.call('get', KEYS[1])", []string{"order:17"}).Err(),
			} {
				if err != nil {
					t.Error(err)
				}
			}
			if got, err := c.HGetAll(ctx, "h").Result(); err != nil || got["a"] != "2" {
				t.Errorf("hash %v, %v", got, err)
			}
			if got, err := c.ZScore(ctx, "schedule", "m").Result(); err != nil || got != 1.5 {
				t.Errorf("score %v, %v", got, err)
			}
			if err := c.Get(ctx, "nothing").Err(); err != goredis.Nil {
				t.Errorf("nothing is %v", err)
			}
			if err := c.LPush(ctx, "h", "x").Err(); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE") {
				t.Errorf("a list in place of a hash: %v", err)
			}
			sha := "EVALSHA a5260dd6"
			steps := slices.DeleteFunc(s.Steps(), func(one string) bool { return strings.HasPrefix(one, "CLIENT ") })
			want := []string{"SET order:? [OK]", "HSET h [2]", "ZADD schedule [1]",
				strings.Replace(sha, "SHA", "", 1) + " order:? [value]", "HGETALL h [2 elements]",
				"ZSCORE schedule [value]", "GET nothing [nil]", "LPUSH h [WRONGTYPE]"}
			if protocol == 2 {
				want[4] = "HGETALL h [4 elements]"
			}
			if !slices.Equal(mask(steps), mask(want)) {
				t.Errorf("steps\n\t%s\nwant\n\t%s", strings.Join(steps, "\n\t"), strings.Join(want, "\n\t"))
			}
		})
	}
}

// mask leaves the script's SHA-1 out, which its own test has.
func mask(steps []string) (out []string) {
	for _, s := range steps {
		if strings.HasPrefix(s, "EVAL ") {
			s = s[:5] + s[13:]
		}
		out = append(out, s)
	}
	return out
}

// A transaction is one step, whether it is sent at once or command by command.
func TestTransaction(t *testing.T) {
	const claim = "MULTI; ZADD unacked_index; HSET unacked; EXEC"
	s := start(t)
	c := client(t, s.proxy.Addr(), 3)
	if _, err := c.TxPipelined(t.Context(), func(p goredis.Pipeliner) error {
		p.ZAdd(t.Context(), "unacked_index", goredis.Z{Score: 1, Member: "tag"})
		p.HSet(t.Context(), "unacked", "tag", "m")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	conn := wiretest.Dial(t, s.proxy.Addr())
	say(t, conn, "MULTI\r\n", "+OK\r\n")
	say(t, conn, "ZREM unacked_index tag\r\n", "+QUEUED\r\n")
	say(t, conn, "hdel unacked tag\r\n", "+QUEUED\r\n")
	say(t, conn, "EXEC\r\n", "*2\r\n:1\r\n:1\r\n")
	say(t, conn, "MULTI\r\nNONSENSE secret\r\nEXEC\r\n", "+OK\r\n-ERR unknown command 'NONSENSE', with args beginning with: 'secret' \r\n-EXECABORT Transaction discarded because of previous errors.\r\n")
	say(t, conn, "MULTI\r\nGET a\r\nDISCARD\r\n", "+OK\r\n+QUEUED\r\n+OK\r\n")
	say(t, conn, "EXEC\r\n", "-ERR EXEC without MULTI\r\n")
	steps := slices.DeleteFunc(s.Steps(), func(one string) bool { return strings.HasPrefix(one, "CLIENT ") })
	want := []string{claim + " [EXEC 1, 1]", "MULTI; ZREM unacked_index; HDEL unacked; EXEC [EXEC 1, 1]",
		"MULTI; NONSENSE; EXEC [EXECABORT]", "EXEC [ERR]"}
	if !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
}

// What is sent ahead goes one by one, and its replies come in order.
func TestPipeline(t *testing.T) {
	s := start(t)
	conn := wiretest.Dial(t, s.proxy.Addr())
	say(t, conn, "SET a 1\r\nINCR a\r\n*0\r\n\r\nGET a\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "+OK\r\n:2\r\n$1\r\n2\r\n$1\r\n2\r\n")
	s.Want(t, "SET a [OK]", "INCR a [2]", "GET a [value]", "GET a [value]")
	a := s.gate.Arm(wire.Fault{Match: text("INCR a"), Side: wire.After, Do: wire.Kill})
	if _, err := conn.Write([]byte("INCR a\r\nINCR a\r\n")); err != nil {
		t.Fatal(err)
	}
	<-a.Fired()
	s.quiet(t)
	if got := s.direct.Get(t.Context(), "a").Val(); got != "3" {
		t.Errorf("%s after a kill at the first of two", got)
	}
}

// The delivery of a message is a step of its own, and a poll in vain is none.
func TestDelivery(t *testing.T) {
	type seen struct{ step, from, messages string }
	var all []seen
	s := start(t, respwire.Options{Saw: func(step wire.Step, said respwire.Said) {
		if from, messages := said.Taken(); said.Delivery {
			all = append(all, seen{step.String(), string(from), string(slices.Concat(messages...))})
		}
	}})
	conn := wiretest.Dial(t, s.proxy.Addr())
	say(t, conn, "BRPOP b a 0.01\r\n", "*-1\r\n")
	s.push(t, "a", "m1")
	say(t, conn, "BRPOP b a 1\r\n", "*2\r\n$1\r\na\r\n$2\r\nm1\r\n")
	s.push(t, "a", "m2", "m3", "m4", "m5")
	say(t, conn, "RPOPLPUSH a c\r\n", "$2\r\nm2\r\n")
	say(t, conn, "BLMOVE a c RIGHT LEFT 1\r\n", "$2\r\nm3\r\n")
	say(t, conn, "RPOP a 5\r\n", "*2\r\n$2\r\nm4\r\n$2\r\nm5\r\n")
	say(t, conn, "LMPOP 2 a c LEFT\r\n", "*2\r\n$1\r\nc\r\n*1\r\n$2\r\nm3\r\n")
	say(t, conn, "RPOP a\r\n", "$-1\r\n")
	s.Wait(t, "RPOP a", wire.Passed)
	s.Want(t, "BRPOP a b [nil]", "BRPOP a b [message]", "Deliver a []", "RPOPLPUSH a c [message]", "Deliver a []",
		"BLMOVE a c [message]", "Deliver a []", "RPOP a [message]", "Deliver a []", "LMPOP a c [message]", "Deliver c []", "RPOP a [nil]")
	want := []seen{{"queue Deliver a #1", "a", "m1"}, {"queue Deliver a #2", "a", "m2"}, {"queue Deliver a #3", "a", "m3"},
		{"queue Deliver a #4", "a", "m4m5"}, {"queue Deliver c #1", "c", "m3"}}
	if !slices.Equal(all, want) {
		t.Errorf("saw %v, want %v", all, want)
	}
}

// A queue's package gives names of its own, such as by the message.
func TestNamesOfTheQueue(t *testing.T) {
	s := start(t, respwire.Options{Name: func(said respwire.Said) string {
		if _, messages := said.Taken(); said.Delivery {
			return "got " + string(messages[0])
		}
		if c := said.Commands[0]; c.Name == "LREM" {
			return "acknowledged " + string(c.Args[2])
		}
		return ""
	}})
	s.push(t, "a", "m1")
	a := s.gate.Arm(wire.Fault{Match: text("acknowledged m1"), Side: wire.Before, Do: wire.Hold})
	conn := wiretest.Dial(t, s.proxy.Addr())
	say(t, conn, "LMOVE a w RIGHT LEFT\r\n", "$2\r\nm1\r\n")
	if _, err := conn.Write([]byte("LREM w 1 m1\r\n")); err != nil {
		t.Fatal(err)
	}
	<-a.Fired()
	if got := s.list(t, "w"); len(got) != 1 {
		t.Errorf("in work %v while the acknowledgement is held", got)
	}
	a.Release()
	say(t, conn, "", ":1\r\n")
	s.Want(t, "LMOVE a w [message]", "got m1 []", "acknowledged m1 [1]")
}

// Pub/sub passes, in both versions, and the connection is of use afterwards.
func TestPubSub(t *testing.T) {
	for hello, resp3 := range map[string]bool{"": false, "HELLO 3\r\n": true} {
		s := start(t)
		kind := map[bool]string{false: "*", true: ">"}[resp3]
		conn := wiretest.Dial(t, s.proxy.Addr())
		if resp3 {
			if _, err := conn.Write([]byte(hello)); err != nil {
				t.Fatal(err)
			}
			until(t, conn, "$7\r\nmodules\r\n*0\r\n")
		}
		say(t, conn, "SUBSCRIBE a b\r\n", kind+"3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"+kind+"3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n")
		if err := s.direct.Publish(t.Context(), "a", "hey").Err(); err != nil {
			t.Fatal(err)
		}
		say(t, conn, "", kind+"3\r\n$7\r\nmessage\r\n$1\r\na\r\n$3\r\nhey\r\n")
		if resp3 {
			say(t, conn, "PING\r\n", "+PONG\r\n")
		} else {
			say(t, conn, "PING\r\n", "*2\r\n$4\r\npong\r\n$0\r\n\r\n")
		}
		if _, err := conn.Write([]byte("UNSUBSCRIBE\r\n")); err != nil {
			t.Fatal(err)
		}
		until(t, conn, ":0\r\n")
		say(t, conn, "RPUSH l message\r\nLRANGE l 0 -1\r\n", ":1\r\n*1\r\n$7\r\nmessage\r\n")
		if got := s.Steps(); len(got) != 3 || got[1] != "RPUSH l [1]" || got[2] != "LRANGE l [1 elements]" {
			t.Errorf("%q: steps %q", hello, got)
		}
	}
}

// until reads up to what ends in want.
func until(t *testing.T, conn interface {
	Read([]byte) (int, error)
	SetReadDeadline(time.Time) error
}, want string) {
	t.Helper()
	var got []byte
	if err := conn.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	for !strings.HasSuffix(string(got), want) {
		b := make([]byte, 1)
		if _, err := conn.Read(b); err != nil {
			t.Fatalf("%q, and %v", got, err)
		}
		got = append(got, b...)
	}
}

// CLIENT REPLY: what is not answered has an end too, and the replies stay in step.
func TestUnanswered(t *testing.T) {
	s := start(t)
	conn := wiretest.Dial(t, s.proxy.Addr())
	say(t, conn, "CLIENT REPLY SKIP\r\nSET a 1\r\nINCR a\r\n", ":2\r\n")
	say(t, conn, "CLIENT REPLY OFF\r\nMULTI\r\nINCR a\r\nEXEC\r\nCLIENT REPLY ON\r\nGET a\r\n", "+OK\r\n$1\r\n3\r\n")
	s.Want(t, "SET a [unanswered]", "INCR a [2]", "MULTI; INCR a; EXEC [unanswered]", "GET a [value]")
}

// What is large goes through a file, and what is shown of it is bounded.
func TestLarge(t *testing.T) {
	var cut bool
	var kept int
	s := start(t, respwire.Options{Saw: func(_ wire.Step, said respwire.Said) {
		if said.Commands[0].Name == "SET" {
			cut, kept = said.Commands[0].Cut, len(said.Commands[0].Args[1])
		}
	}})
	c := client(t, s.proxy.Addr(), 2)
	large := strings.Repeat("0123456789abcdef", 20<<20/16)
	if err := c.Set(t.Context(), "a", large, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Get(t.Context(), "a").Result(); err != nil || got != large {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
	if !cut || kept > 1<<20 {
		t.Errorf("kept %d bytes, cut %v", kept, cut)
	}
}
