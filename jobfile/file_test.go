package jobfile

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twiceproof/twiceproof/job"
)

func TestLoadReadsEveryField(t *testing.T) {
	f, err := Load("testdata/twiceproof.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Path: "testdata/twiceproof.yaml", Table: "app_operations", Jobs: []job.Job{
		{
			Type: "charge.create", Queue: job.Celery, Message: "billing.tasks.create_charge",
			Operation: job.Operation{
				Key:         paths("kwargs.tenant", "kwargs.order_id"),
				Repeat:      "The same tenant and order is one operation. Another amount is refused and shown.",
				Fingerprint: paths("kwargs.amount_cents", "kwargs.currency"),
			},
			Effect:     job.Effect{Kind: job.Outside, What: "a charge at the payment service"},
			LongestRun: 40 * time.Second, Lease: 2 * time.Minute, Retention: 45 * 24 * time.Hour,
			Stale: job.Stale{Policy: job.Lookup, Settle: 30 * time.Second, MaxTakeovers: 5, MaxLookups: 7},
		},
		{
			Type: "mail.send", Queue: job.Sidekiq, Message: "MailJob", Operation: job.Operation{Key: paths("args[0].id")},
			Effect: job.Effect{Kind: job.Outside, What: "a mail"}, LongestRun: 5 * time.Second, Lease: 90 * time.Second,
			Stale: job.Stale{Policy: job.Resend, ReferenceWindow: 24 * time.Hour}, StoreMessage: true,
		},
		{
			Type: "invoice.store", Queue: job.SQS, Operation: job.Operation{Key: paths(`body["order id"]`, "attributes.tenant")},
			Effect: job.Effect{Kind: job.OwnRow}, LongestRun: 500 * time.Millisecond, Lease: time.Second, StoreMessage: true,
		},
	}}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got:\n%+v\nwant:\n%+v", f, want)
	}
}

func paths(texts ...string) []job.Path {
	list := make([]job.Path, len(texts))
	for i, text := range texts {
		list[i] = job.MustParsePath(text)
	}
	return list
}

func TestFileJob(t *testing.T) {
	f := &File{Path: "f.yaml", Jobs: []job.Job{{Type: "charge.create"}, {Type: "mail.send"}}}
	if j, err := f.Job("mail.send"); err != nil || j.Type != "mail.send" {
		t.Errorf("%v, %v", j, err)
	}
	for name, want := range map[string]string{
		"charge.crate": `f.yaml: has no job "charge.crate"; did you mean charge.create?`,
		"other":        `f.yaml: has no job "other"; it has charge.create, mail.send`,
		"":             "f.yaml: has several jobs and none is named; it has charge.create, mail.send",
	} {
		_, err := f.Job(name)
		if got := Errors(err); len(got) != 1 || got[0].Error()+"; "+got[0].Hint != want {
			t.Errorf("%q: %v", name, err)
		}
	}
	f.Jobs = f.Jobs[:1]
	if j, err := f.Job(""); err != nil || j.Type != "charge.create" {
		t.Errorf("the only job: %v, %v", j, err)
	}
}

func TestDefaultTableAndByteOrderMark(t *testing.T) {
	text, err := os.ReadFile("testdata/twiceproof.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := "\ufeff" + strings.Replace(string(text), "table: app_operations\n", "", 1)
	f, err := Parse("f.yaml", []byte(strings.ReplaceAll(changed, "\n", "\r\n")))
	if err != nil || f.Table != DefaultTable || f.Jobs[0].Message != "billing.tasks.create_charge" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"):         ": no such file",
		filepath.Join(dir, "none", "none.yaml"): `: there is no folder "` + filepath.Join(dir, "none") + `"`,
		dir:                                     ": is a folder, not a file",
		"":                                      "(no name): no file is named",
		dir + "/a\x00b":                         ": cannot be read: invalid argument",
	} {
		for _, load := range []func(string) error{
			func(p string) error { _, err := Load(p); return err },
			func(p string) error { _, err := LoadReplay(p); return err },
		} {
			err := load(path)
			if list := Errors(err); len(list) != 1 || list[0].Error() != path+want || list[0].Hint == "" {
				t.Errorf("%q: %v", path, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/twiceproof.yaml", "testdata/twiceproof.replay.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := Parse("f.yaml", text)
		_, replayErr := ParseReplay("f.yaml", text)
		for _, e := range append(Errors(err), Errors(replayErr)...) {
			if e.What == "" || e.Hint == "" {
				t.Errorf("%#v", e)
			}
		}
	})
}
