package report

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// history is a killed worker's: what a picture has to show.
func history() map[string][]judge.Event {
	step := func(worker, what, step string) judge.Event {
		return judge.Event{Event: judge.EventStep, Worker: worker, What: what, Step: step}
	}
	onQueue := func(worker, what string) judge.Event {
		return judge.Event{Event: judge.EventQueue, Worker: worker, What: what, Message: "m", Copy: 1}
	}
	return map[string][]judge.Event{"old/killed_after_effect": {
		{Event: judge.EventSent}, onQueue("A", "received"), step("A", "forwarded", "outside POST /charges #1"),
		step("A", "killed", "outside POST /charges #1"), {Event: judge.EventFault, Fired: true, Detail: "after the effect's reply came back <b>"},
		{Event: judge.EventWorker, Worker: "A", What: "killed"}, {Event: judge.EventSeen, Seen: &judge.Seen{When: "fault", Effects: 1}},
		{Event: judge.EventPassed, ForMS: 121_000}, onQueue("", "visibility_over"), onQueue("B", "received"),
		step("B", "forwarded", "outside POST /charges #1"), onQueue("B", "deleted"), {Event: judge.EventSeen, Seen: &judge.Seen{When: "end", Effects: 2}},
	}}
}

func pageOf(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	noError(t, WriteHTML(&b, fixed(), history()))
	return b.String()
}

func TestHTML(t *testing.T) {
	text := pageOf(t)
	golden.Check(t, "testdata/report.html", []byte(text))
	if len(text) > 64<<10 {
		t.Errorf("%d bytes", len(text))
	}
	for _, what := range []string{"http://", "https://", "src=", "<script", "<b>", "@import", "url("} {
		if strings.Contains(text, what) {
			t.Errorf("the page has %s", what)
		}
	}
	for _, what := range []string{`lang="en"`, `role="img"`, "<title>old/killed_after_effect in space and time</title>", "prefers-color-scheme: dark", "@media print", `tabindex="0"`, `scope="row"`} {
		if !strings.Contains(text, what) {
			t.Errorf("the page has no %s", what)
		}
	}
}

// Lanes at which nothing happens are left out, and the fault is where it struck.
func TestPicture(t *testing.T) {
	p := pictureOf(judge.Result{}, history()["old/killed_after_effect"])
	if got := strings.Join(p.Lanes, ", "); got != "queue, worker A, worker B, outside" {
		t.Errorf("lanes %s", got)
	}
	var faults []string
	for _, r := range p.Rows {
		if r.Fault {
			faults = append(faults, r.Text)
		}
	}
	if got := strings.Join(faults, "; "); got != "killed here: POST /charges #1; fault: after the effect's reply came back <b…; killed" {
		t.Errorf("faults %s", got)
	}
}

// Of many runs the one that shows the verdict is drawn.
// What happens within a millisecond is drawn as it follows, though the queue's log comes last.
func TestPictureWithinAMillisecond(t *testing.T) {
	event := func(kind, what, step string) judge.Event {
		return judge.Event{MS: 7, Event: kind, Worker: "A", What: what, Step: step}
	}
	p := pictureOf(judge.Result{}, []judge.Event{
		event(judge.EventWorker, judge.WorkerReady, ""), event(judge.EventSent, "", ""), event(judge.EventStep, "forwarded", "outside POST /charges #1"),
		event(judge.EventQueue, "redelivered", ""), event(judge.EventQueue, "received", ""), event(judge.EventQueue, "deleted", ""),
	})
	var rows []string
	for _, row := range p.Rows {
		rows = append(rows, row.Text)
	}
	if got := strings.Join(rows, ", "); got != "ready, message put on, put on again by force, delivery, POST /charges #1, done with" {
		t.Error(got)
	}
}

func TestPictureOfManyRuns(t *testing.T) {
	var events []judge.Event
	for run := 1; run <= 3; run++ {
		events = append(events, judge.Event{Event: judge.EventSent, Run: run, Detail: string(rune('0' + run))},
			judge.Event{Event: judge.EventSeen, Run: run, Seen: &judge.Seen{When: judge.SeenEnd, Effects: map[int]int{1: 1, 2: 2, 3: 1}[run]}})
	}
	for verdict, want := range map[string]string{judge.Violation: "message put on 2", judge.OK: "message put on 3"} {
		p := pictureOf(judge.Result{Verdict: judge.Verdict{Verdict: verdict}, AllowedEffects: []int{1}}, events)
		if p.Rows[0].Text != want {
			t.Errorf("%s: %s", verdict, p.Rows[0].Text)
		}
	}
}

// The page as people see it: in both colour schemes the picture is there and the fault is
// a red bar; and it can be printed.
func TestThePageIsLookedAt(t *testing.T) {
	browser := chromium(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "report.html")
	noError(t, os.WriteFile(path, []byte(pageOf(t)), 0o600))
	without := filepath.Join(folder, "without.html")
	noError(t, os.WriteFile(without, []byte(regexp.MustCompile(`(?s)<svg.*?</svg>`).ReplaceAllString(pageOf(t), "")), 0o600))
	for name, c := range map[string]struct {
		dark bool
		page string
		bars bool
	}{"light": {false, path, true}, "dark": {true, path, true}, "without its pictures": {false, without, false}} {
		shot := browser.shoot(t, c.page, c.dark)
		if back := brightness(shot.At(2, 2)); (back < 100) != c.dark {
			t.Errorf("%s: the background has a brightness of %d", name, back)
		}
		if n := redBars(shot); (n > 0) != c.bars {
			t.Errorf("%s: %d red bars", name, n)
		}
	}
	printed := browser.run(t, folder, "--print-to-pdf="+filepath.Join(folder, "report.pdf"), "file://"+path)
	if info, err := os.Stat(filepath.Join(folder, "report.pdf")); err != nil || info.Size() < 5_000 {
		t.Errorf("not printed: %v: %s", err, printed)
	}
}

type program string

func chromium(t *testing.T) program {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return program(path)
		}
	}
	t.Skip("there is no Chromium here that could look at the page")
	return ""
}

func (p program) run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	all := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + filepath.Join(folder, "profile")}, args...)
	out, err := exec.CommandContext(ctx, string(p), all...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func (p program) shoot(t *testing.T, page string, dark bool) image.Image {
	t.Helper()
	folder := t.TempDir()
	scheme := "1"
	if dark {
		scheme = "0"
	}
	file := filepath.Join(folder, "shot.png")
	said := p.run(t, folder, "--blink-settings=preferredColorScheme="+scheme, "--window-size=1400,3000", "--screenshot="+file, "file://"+page)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	shot, err := png.Decode(bytes.NewReader(text))
	noError(t, err)
	return shot
}

func brightness(c color.Color) uint32 {
	r, g, b, _ := c.RGBA()
	return (r + g + b) / 3 >> 8
}

// redBars counts rows of pixels with a long stretch of red.
func redBars(shot image.Image) (bars int) {
	const long = 150
	area := shot.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		stretch := 0
		for x := area.Min.X; x < area.Max.X; x++ {
			if r, g, b, _ := shot.At(x, y).RGBA(); r>>8 > 150 && g>>8 < 140 && b>>8 < 140 && r>>8 > g>>8+60 {
				stretch++
			} else {
				stretch = 0
			}
			if stretch == long {
				bars++
				break
			}
		}
	}
	return bars
}
