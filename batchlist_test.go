package twiceproof

import (
	"fmt"
	"strings"
	"testing"
)

// A list whose messages are too much for one statement is claimed in several, and its
// keys are what they are, whatever they are made of.
func TestBatchOfLargeMessagesAndOddKeys(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		batchRig(r).faults.set(nil)
		var batch []Delivery
		for i, key := range []string{"é", "e\u0301", "日本", "😀", `"`, `\u0041`, "A", " a", "a "} {
			d := delivery(key)
			d.Message = []byte(fmt.Sprint(i) + strings.Repeat("x", 1<<20))
			batch = append(batch, d)
		}
		got := r.runBatch(r.guard(holdJob()), r.till.charge, batch...)
		r.wantTold(got, strings.TrimSuffix(strings.Repeat("completed ", len(batch)), " "))
		if r.rows() != len(batch) || r.till.total() != len(batch) {
			t.Errorf("%d records, %d effects of %d", r.rows(), r.till.total(), len(batch))
		}
		for _, d := range batch {
			key := d.Fields["body"].(map[string]any)["order"].(string)
			r.wantRecord(key, "state=completed acts=1")
		}
	})
}

func TestASCII(t *testing.T) {
	if got := ascii([]byte(`{"k":"aé日😀"}`)); got != `{"k":"a\u00e9\u65e5\ud83d\ude00"}` {
		t.Error(got)
	}
}

// On a connection that is set to another character set the keys are the same.
func TestBatchOnAConnectionInLatin1(t *testing.T) {
	made := newRig(t, databaseOf(MySQL))
	r := newRigOn(t, &rig{d: made.d, dsn: made.dsn + "&charset=latin1", table: made.table})
	got := r.runBatch(r.guard(holdJob()), r.till.charge, delivery("é"), delivery("😀"))
	r.wantTold(got, "completed completed")
	if r.rows() != 2 {
		t.Errorf("%d records", r.rows())
	}
}
