package note

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// A page is one sheet of A4, for the examples and for whatever a job file may hold.
func TestPrintsOnOnePage(t *testing.T) {
	chromium := findChromium(t)
	notes := map[string]Note{}
	for _, example := range examples {
		notes[example] = ofThatTime(exampleInput(t, example))
	}
	for _, policy := range []job.Policy{job.Lookup, job.AcceptDuplicate} {
		notes["long names, "+string(policy)] = New(longNames(t, policy))
		notes["long names, not shown, "+string(policy)] = New(manyDoubts(longNames(t, policy)))
		notes["wide letters, "+string(policy)] = New(wideLetters(longNames(t, policy)))
		for _, name := range []string{"wide letters, ", "long names, "} {
			if n := notes[name+string(policy)]; n.Shown != Yes { // the longest page is one to sign
				t.Errorf("%s: %.300v", name, n.Doubts)
			}
		}
		notes["wide letters, not shown, "+string(policy)] = New(manyDoubts(wideLetters(longNames(t, policy))))
		notes["changed since, "+string(policy)] = New(manyFiles(longNames(t, policy)))
		notes["everything else failed, "+string(policy)] = New(allFailed(manyFiles(wideLetters(longNames(t, policy)))))
	}
	for name, n := range notes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if pages := pagesOf(t, chromium, html(t, n)); pages != 1 {
				t.Errorf("it has %d pages at %.1f points", pages, sizeOf(n.page()))
			}
		})
	}
	// The control: the same counting sees a page that is too long.
	t.Run("set too large", func(t *testing.T) {
		t.Parallel()
		large := regexp.MustCompile(`<body style="font-size: [0-9.]+pt">`).ReplaceAllString(html(t, notes["sqs-charge"]), `<body style="font-size: 14pt">`)
		if pages := pagesOf(t, chromium, large); pages < 2 {
			t.Errorf("it has %d pages", pages)
		}
	})
}

func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is here to print with (Debian: apt-get install chromium)")
	return ""
}

var pageCount = regexp.MustCompile(`/Type\s*/Pages\b[^>]*?/Count\s+(\d+)|/Count\s+(\d+)[^>]*?/Type\s*/Pages\b`)

// pagesOf prints the page as a browser does, and counts.
func pagesOf(t *testing.T, chromium, page string) int {
	t.Helper()
	folder, err := os.MkdirTemp("", "twiceproof-print-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // also of what its last process still writes
	source, printed := filepath.Join(folder, "note.html"), filepath.Join(folder, "note.pdf")
	if err := os.WriteFile(source, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-pdf-header-footer",
		"--user-data-dir="+filepath.Join(folder, "profile"), "--print-to-pdf="+printed, "file://"+source)
	cmd.Env = append(os.Environ(), "HOME="+folder, "TMPDIR="+folder)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("print: %v\n%s", err, said)
	}
	pdf, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	m := pageCount.FindSubmatch(pdf)
	if m == nil {
		t.Fatal("the print has no count of its pages")
	}
	pages, _ := strconv.Atoi(string(m[1]) + string(m[2]))
	return pages
}

// longNames is a job in which everything is as long as a file may have it.
func longNames(t *testing.T, policy job.Policy) Input {
	t.Helper()
	j := charge(t)
	sentence := strings.Repeat("Wherever the same Warehouse moves the same Wagon, that is one Movement. ", 12)
	j.Type, j.Message = strings.Repeat("W", 64), strings.Repeat("warehouse_movement.", 20)
	j.Operation.Repeat, j.Effect.What = sentence, sentence
	j.Operation.Key, j.Operation.Fingerprint = nil, nil
	for i := range 9 {
		j.Operation.Key = append(j.Operation.Key, paths2(t, fmt.Sprintf(`kwargs["the %d. name of a warehouse, as long as a name can well be in a message"].number`, i))...)
		j.Operation.Fingerprint = append(j.Operation.Fingerprint, paths2(t, fmt.Sprintf(`kwargs.what_was_moved_from_one_warehouse_to_the_other_%d`, i))...)
	}
	j.LongestRun, j.Lease, j.Retention = 3*time.Hour+59*time.Minute+59*time.Second, 11*time.Hour+59*time.Minute+58999*time.Millisecond, 1000*24*time.Hour
	j.Queue, j.Stale = job.Celery, job.Stale{Policy: policy, MaxTakeovers: 1000}
	if policy == job.Lookup {
		j.Stale.Settle, j.Stale.MaxLookups = 59*time.Minute+59999*time.Millisecond, 1000
	}
	in := shown(j)
	in.Table, in.JobFile = strings.Repeat("idempotency_", 5), "/"+strings.Repeat("a-folder/", 30)+"the job's file of the warehouse.yaml"
	in.Report.ToolVersion, in.Report.Tree.Dirty = "(devel) 0123456789abcdef0123456789abcdef01234567 with changes", true
	for i := range in.Report.Results {
		if in.Report.Results[i].Version == "old" {
			in.Report.Results[i].Version = strings.Repeat("v", 64)
		}
	}
	in.Again, in.Plan.Table = slices.Clone(in.Report.Results), in.Table
	in.Doctor = &Doctor{LookedAt: []Source{{"database"}}}
	ids := doctor.Catalogue()
	slices.SortFunc(ids, func(a, b doctor.Entry) int { return len(b.ID) - len(a.ID) })
	for _, e := range ids {
		in.Doctor.Findings = append(in.Doctor.Findings, Finding{ID: e.ID, Severity: "repeats"})
		in.Doctor.CouldNotCheck = append(in.Doctor.CouldNotCheck, Gap{ID: e.ID})
	}
	if err := j.Validate(); err != nil {
		t.Fatal(err)
	}
	if _, err := jobfile.ParseDuration(jobfile.FormatDuration(j.Lease)); err != nil {
		t.Fatal(err)
	}
	return in
}

func manyDoubts(in Input) Input {
	for i := range in.Report.Results {
		r := &in.Report.Results[i]
		if r.Version == "new" {
			r.Verdict = judge.Verdict{Verdict: judge.Violation, Kind: judge.AgainstPolicy, Why: strings.Repeat("it was seen to go against the policy, and ", 20)}
			r.EffectsMax, r.Runs, r.Overlapped = 100, 1000, 1000
		}
	}
	in.Again = slices.Clone(in.Report.Results)
	return in
}

// wideLetters are as wide as they are high.
func wideLetters(in Input) Input {
	sentence := strings.Repeat("同じ倉庫が同じ貨車を動かすところでは、それは一つの移動です。", 12)
	in.Job.Operation.Repeat, in.Job.Effect.What, in.Job.Message = sentence, sentence, sentence
	in.Plan.Message = sentence // as it was replayed, so that there is something to sign
	in.JobFile = "/" + strings.Repeat("倉庫の書類/", 30) + "倉庫.yaml"
	return in
}

// manyFiles has as much to say of the code as there can be.
func manyFiles(in Input) Input {
	for i := range 40 {
		in.Since.New = append(in.Since.New, fmt.Sprintf("services/warehouse/movements/of_wagons/%d/%s.rb", i, strings.Repeat("movement_", 12)))
	}
	in.Since.Changed, in.Altered = in.Since.New, in.Since.New
	return in
}

// allFailed: the old code and the new one in every case, each in another way.
func allFailed(in Input) Input {
	in = manyDoubts(in)
	for i := range in.Report.Results {
		if r := &in.Report.Results[i]; r.Version != "new" {
			r.Verdict = judge.Verdict{Verdict: judge.Violation, Kind: judge.AgainstPolicy, Why: strings.Repeat("it was seen, and ", 30)}
			r.EffectsMax, r.Runs, r.Overlapped = 100_000, 1000, 1000
		}
	}
	in.Again, in.Report.Tree = slices.Clone(in.Report.Results), nil
	return in
}
