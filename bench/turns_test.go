package bench_test

import "sync/atomic"

// turns gives the keys one after another, again and again, to any number of workers.
func turns(keys []string) func() string {
	var n atomic.Int64
	return func() string { return keys[int(n.Add(1))%len(keys)] }
}
