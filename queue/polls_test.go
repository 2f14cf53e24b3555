package queue

import "testing"

func TestIsPoll(t *testing.T) {
	for step, want := range map[string]bool{
		"queue ReceiveMessage #1": true, "queue BRPOP queue:default #12": true,
		"queue DeleteMessage #1": false, "queue RPOPLPUSH queue:default working:queue:default:? #3": true, "queue Deliver queue:default #1": false, "database BRPOP #1": false, "queue ZADD schedule #1": false,
	} {
		if got := IsPoll(step); got != want {
			t.Errorf("%s: %t", step, got)
		}
	}
}

func TestIsBeat(t *testing.T) {
	for step, want := range map[string]bool{
		"queue MULTI; INCRBY stat:processed; INCRBY stat:processed:?; EXPIRE stat:processed:?; UNLINK ?:workers; HSET ?:workers; EXEC #3": true,
		"queue MULTI; UNLINK ?:work; HSET ?:work; EXPIRE ?:work; EXEC #1":                                                                 true, "queue MULTI; SADD processes; EXISTS ?; EXEC #2": true,
		"queue tell that the worker lives #3": true, "queue INCRBY stat:failed:? #1": true, "queue SET reliable-fetcher-heartbeat-host-?-abc #1": true,
		"queue MULTI; SADD queues; LPUSH queue:default; EXEC #1": false, "queue INCRBY charges #1": false, "database INCRBY stat:processed #1": false,
	} {
		if got := IsBeat(step); got != want {
			t.Errorf("%s: %t", step, got)
		}
	}
}
