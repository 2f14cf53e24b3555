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
