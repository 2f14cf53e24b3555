package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/replay/judge"
)

// raceWorker guards its charge by a file of the order's name.
func raceWorker(mode, folder string) {
	for {
		for _, m := range call("ReceiveMessage", map[string]any{"WaitTimeSeconds": 20}) {
			m := m.(map[string]any)
			var body struct {
				ID string `json:"order_id"`
			}
			if err := json.Unmarshal([]byte(m["Body"].(string)), &body); err != nil {
				panic(err)
			}
			guardedBy(mode, filepath.Join(folder, body.ID), func() {
				charge(body.ID)
				if mode == "afterwards" { // when the message is done with
					time.AfterFunc(watchLong/3, func() { charge(body.ID) })
				}
			})
			call("DeleteMessage", map[string]any{"ReceiptHandle": m["ReceiptHandle"]})
		}
	}
}

func guardedBy(mode, file string, act func()) {
	switch mode {
	case "looks": // and then makes the file
		if _, err := os.Stat(file); err == nil {
			return
		}
		act()
		_ = os.WriteFile(file, nil, 0o600)
		return
	case "slow":
		time.Sleep(time.Second) // longer than the replay file lets it
	}
	_, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		act()
		_ = os.WriteFile(file+".done", nil, 0o600)
	case errors.Is(err, fs.ErrExist) && mode == "polls": // until the other one has acted
		for err = fs.ErrNotExist; errors.Is(err, fs.ErrNotExist); _, err = os.Stat(file + ".done") {
			time.Sleep(time.Millisecond)
		}
	case errors.Is(err, fs.ErrExist) && mode == "waits": // for what nobody will tell it
		select {}
	case !errors.Is(err, fs.ErrExist):
		panic(err)
	}
}

func charge(order string) {
	body := fmt.Appendf(nil, `{"order_id": %q}`, order)
	resp, err := http.Post(os.Getenv("CHARGE_URL")+"/charges", "application/json", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	resp.Body.Close()
}

// raceOf replays the case concurrent with the worker.
func raceOf(t *testing.T, mode string, runs int) (judge.Result, []judge.Event) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	r, err := chargeRequest(folder, fmt.Sprintf(`version: 1
job: charge.create
environment: {broker: AWS_ENDPOINT_URL_SQS}
versions: {old: {run: "%s race %s '%s'"}}
message: {body: '{"order_id": "{{key}}"}'}
outside: {act: "POST /charges", operation: body.order_id}
concurrent_runs: %d
timeouts: {recovery: 300ms}
`, self, mode, folder, runs), "concurrent")
	if err != nil {
		t.Fatal(err)
	}
	out, err := planAndRun(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out.Results[0], out.Histories["old/concurrent"]
}

// A worker that looks and then acts is caught in every run in which it is raced, since
// both workers are held at the act.
func TestEveryRaceIsARace(t *testing.T) {
	t.Parallel()
	got, events := raceOf(t, "looks", 20)
	if got.Kind != judge.Duplicate {
		t.Errorf("got %+v", got.Verdict)
	}
	caught, apart := 0, runsInVain(events)
	for _, e := range events {
		if e.Seen != nil && e.Seen.When == judge.SeenEnd && e.Seen.Effects == 2 && !apart[e.Run] {
			caught++
		}
	}
	if caught+len(apart) != 20 || len(apart) > 2 { // a machine may stand still for as long as is waited
		t.Errorf("caught in %d runs of 20, apart in %d", caught, len(apart))
	}
}

// A right worker whose other one never gets to the act is held for nobody: that one is seen
// to be done. One that waits where nobody sees it is waited for until the budget is spent.
func TestARightRaceIsNotHeldUp(t *testing.T) {
	t.Parallel()
	got, events := raceOf(t, "right", 100)
	if got.Verdict.Verdict != judge.OK || got.Overlapped != 100 {
		t.Errorf("got %+v, %d overlapped", got.Verdict, got.Overlapped)
	}
	if n := len(runsInVain(events)); n > 2 {
		t.Errorf("in %d of 100 runs somebody was waited for in vain", n)
	}
	got, events = raceOf(t, "polls", 4)
	if got.Verdict.Verdict != judge.OK || len(runsInVain(events)) != 4 {
		t.Errorf("one that polls: got %+v, apart in %d runs", got.Verdict, len(runsInVain(events)))
	}
	if want := "in 4 of 4 runs one worker was at the act and the other one was waited for in vain"; len(got.Facts) == 0 || !strings.HasPrefix(got.Facts[0], want) {
		t.Errorf("got %q, want %q", got.Facts, want)
	}
}

// A worker that is slower than the replay file says is not blocked; one that waits for
// what does not come is.
func TestSlowIsNotBlocked(t *testing.T) {
	t.Parallel()
	if got, _ := raceOf(t, "slow", 2); got.Verdict.Verdict != judge.OK {
		t.Errorf("slow: got %+v", got.Verdict)
	}
}

func TestWaitingIsBlocked(t *testing.T) {
	t.Parallel()
	if got, _ := raceOf(t, "waits", 2); got.Kind != judge.Blocked {
		t.Errorf("waiting: got %+v", got.Verdict)
	}
}

// runsInVain are the runs in which one worker was waited for in vain.
func runsInVain(events []judge.Event) map[int]bool {
	runs := map[int]bool{}
	for _, e := range events {
		if e.Event == judge.EventApart {
			runs[e.Run] = true
		}
	}
	return runs
}
