package differential_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twiceproof/twiceproof/lab/sqs"
)

var update = flag.Bool("update", false, "write what was observed into the scenarios; read the difference, and give each new one a reason")

const (
	limit = 2 * time.Minute // for everything together
	tries = 8               // of a scenario on a machine that is busy
)

// observed is what each step of a scenario answered.
type observed []string

// errSlow is a step that took so long that a timeout may have ended meanwhile:
// what was observed says nothing.
var errSlow = errors.New("too slow to be compared")

// play runs one scenario to its end.
func play(r *run, s *scenario) (observed, error) {
	var all observed
	for _, step := range s.steps {
		began := time.Now()
		got, err := r.do(step.text)
		if took := time.Since(began); err == nil && r.patience > 0 && took > r.patience && s.timed() && readStep(step.text).quick() {
			err = fmt.Errorf("%w: it took %s", errSlow, took.Round(time.Millisecond))
		}
		if err != nil {
			return all, fmt.Errorf("%s:%d: %s: %w", s.file, step.line, step.text, err)
		}
		all = append(all, got)
	}
	return all, nil
}

// playTheirs runs a scenario on an emulator, in real time; again, on new queues,
// when it was too slow, as it can be on a busy machine.
func playTheirs(ctx context.Context, c client, spelt *spelling, s *scenario, name string) (got observed, err error) {
	for try := range tries {
		r := newRun(ctx, c, time.Sleep, fmt.Sprintf("%s-%s-%d-", c.protocol, name, try))
		r.spelling, r.lead, r.patience = spelt, time.Second/2, 400*time.Millisecond
		if got, err = play(r, s); !errors.Is(err, errSlow) {
			break
		}
	}
	return got, err
}

// playOurs runs a scenario on an endpoint of its own, by a clock that moves only while
// everything waits: no load of the machine can end a timeout early.
func playOurs(t *testing.T, p protocol, s *scenario) (got observed, err error) {
	synctest.Test(t, func(t *testing.T) {
		e := sqs.New()
		defer func() { _ = e.Close() }()
		got, err = play(newRun(t.Context(), client{e.URL(), p, handed{e}}, time.Sleep, ""), s)
	})
	return got, err
}

// handed hands each request to the endpoint without a connection, which would keep the
// clock from moving.
type handed struct{ http.Handler }

func (h handed) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Millisecond) // no call takes no time
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	_ = r.Body.Close()
	return w.Result(), nil
}

// playAll runs every scenario by f, some at a time: most of them wait.
func playAll(all []*scenario, together int, f func(int, *scenario) (observed, error)) ([]observed, []error) {
	got, errs := make([]observed, len(all)), make([]error, len(all))
	slots := make(chan struct{}, together)
	var running sync.WaitGroup
	for i, s := range all {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			got[i], errs[i] = f(i, s)
		})
	}
	running.Wait()
	return got, errs
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// Ours does what the scenarios say, in both protocols.
func TestOurs(t *testing.T) {
	if !*update { // it would change what the others read
		t.Parallel()
	}
	all := loadScenarios(t)
	for _, p := range []protocol{jsonProtocol, queryProtocol} {
		got, errs := make([]observed, len(all)), make([]error, len(all))
		for i, s := range all {
			got[i], errs[i] = playOurs(t, p, s)
		}
		checkOurs(t, all, p, got, errs)
	}
	if *update {
		save(t, all)
	}
}

func checkOurs(t *testing.T, all []*scenario, p protocol, got []observed, errs []error) {
	for i, s := range all {
		if errs[i] != nil {
			t.Errorf("%s: %v", p, errs[i])
			continue
		}
		for n, step := range s.steps {
			if *update && p == jsonProtocol {
				step.ours = got[i][n]
			}
			if got[i][n] != step.ours {
				t.Errorf("%s:%d: %s, %s: %s\ngot  %s\nwant %s", s.file, step.line, s.name, p, step.text, got[i][n], step.ours)
			}
		}
	}
}

// Each emulator does what ours does, except where a scenario says what else and
// why.
func TestEmulators(t *testing.T) {
	compared := 0
	var missing []string
	for _, e := range emulators {
		if compared == 2 && os.Getenv("TWICEPROOF_FULL") == "" {
			t.Logf("%s: not compared: two are enough for a run without TWICEPROOF_FULL=1", e)
			continue
		}
		dir, err := e.find()
		if err != nil {
			t.Logf("%s: NOT COMPARED: %v", e, err)
			missing = append(missing, e.name)
			continue
		}
		compared++
		t.Run(e.name, func(t *testing.T) {
			if !*update { // they would write one file
				t.Parallel()
			}
			compareWith(t, e, dir)
		})
	}
	const skipEnv = "TWICEPROOF_SKIP_SERVERS"
	switch {
	case compared >= 2:
	case os.Getenv(skipEnv) != "":
		t.Logf("only %d compared: %s is set", compared, skipEnv)
	default:
		t.Errorf("%d emulators compared, want two: missing %s\nhint: lab/sqs/differential/install.sh\nhint: or set %s=1 to go without",
			compared, strings.Join(missing, ", "), skipEnv)
	}
}

func compareWith(t *testing.T, e emulator, dir string) {
	began := time.Now()
	url, err := e.start(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	ready := time.Since(began)
	all, ctx := loadScenarios(t), within(t)
	results := map[protocol][]observed{}
	var (
		lock sync.Mutex
		both sync.WaitGroup
	)
	for _, p := range e.protocols {
		spelt := &spelling{codes: e.spelling[p], met: map[string]bool{}}
		both.Go(func() {
			got, errs := playAll(all, e.together, func(i int, s *scenario) (observed, error) {
				return playTheirs(ctx, client{url: url, protocol: p}, spelt, s, strconv.Itoa(i))
			})
			lock.Lock()
			defer lock.Unlock()
			results[p] = got
			for _, err := range errs {
				if err != nil {
					t.Errorf("%s: %v", p, err)
				}
			}
			for _, code := range spelt.unmet() {
				t.Errorf("%s over %s no longer answers the code %s: take it from the list", e.name, p, code)
			}
		})
	}
	both.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%s: ready after %s, %d scenarios in %v after %s", e, ready.Round(time.Millisecond), len(all), e.protocols, time.Since(began).Round(time.Millisecond))
	if *update {
		record(all, e, results)
		save(t, all)
		return
	}
	for _, complaint := range compare(all, e, results) {
		t.Error(complaint)
	}
}
