package doctor_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/doctor"
	"github.com/twiceproof/twiceproof/doctor/readsettings"
	"github.com/twiceproof/twiceproof/job"
)

// sidekiqRuby is one that has Sidekiq.
func sidekiqRuby(t *testing.T) string {
	t.Helper()
	ruby, err := exec.LookPath("ruby")
	if err != nil || exec.CommandContext(t.Context(), ruby, "-e", "require 'sidekiq'").Run() != nil {
		t.Skip("there is no Ruby with Sidekiq: on Debian sudo apt-get install ruby-sidekiq")
	}
	return ruby
}

const sidekiqApp = `
require "sidekiq"
puts "noise of the application"

class KeepingFetch; end

class ChargeWorker
  include Sidekiq::Worker
  sidekiq_options queue: "charges", retry: 10
end

Sidekiq.options[:fetch] = KeepingFetch.new
`

const sidekiqYML = `
:timeout: 60
:queues:
  - [charges, 2]
  - default
production:
  :timeout: 90
`

func TestSidekiq(t *testing.T) {
	ruby, folder, read := sidekiqRuby(t), t.TempDir(), map[string]doctor.Report{}
	for i, c := range []struct{ id, file, from, to string }{
		{"sidekiq.fetch", "app.rb", "Sidekiq.options[:fetch] = KeepingFetch.new", ""},
		{"sidekiq.no_retry", "app.rb", "retry: 10", "retry: false"},
		{"sidekiq.no_retry", "app.rb", "retry: 10", "retry: 0"},
		{"sidekiq.no_dead_set", "app.rb", "retry: 10", "retry: 10, dead: false"},
		{"sidekiq.unique", "app.rb", "retry: 10", "retry: 10, lock: :until_executed"},
		{"sidekiq.unique", "app.rb", "retry: 10", "retry: 10, unique_for: 600"},
		{"sidekiq.queue", "app.rb", `queue: "charges"`, `queue: "low"`},
		{"sidekiq.timeout", "sidekiq.yml", ":timeout: 90", ":timeout: 30"},
		{"sidekiq.timeout", "sidekiq.yml", ":timeout:", ":other:"}, // then it is 25 s
		{"sidekiq.queue", "sidekiq.yml", "[charges, 2]", "[others, 2]"},
	} {
		t.Run(fmt.Sprint(c.id, i), func(t *testing.T) {
			good := map[string]string{"app.rb": sidekiqApp, "sidekiq.yml": sidekiqYML}
			now := maps.Clone(good)
			examine := func() doctor.Report {
				if _, is := read[fmt.Sprint(now)]; !is {
					for name, text := range now {
						if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
							t.Fatal(err)
						}
					}
					read[fmt.Sprint(now)] = readSidekiq(t, ruby, folder)
				}
				return read[fmt.Sprint(now)]
			}
			if !strings.Contains(now[c.file], c.from) {
				t.Fatalf("%s has no %q", c.file, c.from)
			}
			comesAndGoes(t, c.id, examine, func() { now[c.file] = strings.ReplaceAll(now[c.file], c.from, c.to) }, func() { now = good })
		})
	}
}

func readSidekiq(t *testing.T, ruby, folder string) doctor.Report {
	t.Helper()
	s, err := readsettings.Sidekiq(ctxFor(t), ruby, filepath.Join(folder, "app.rb"), []string{"ChargeWorker"})
	if err == nil {
		err = readsettings.SidekiqFile(filepath.Join(folder, "sidekiq.yml"), "production", s)
	}
	if err != nil || s.Version == "" {
		t.Fatal(s, err)
	}
	r := doctor.Examine(doctor.Facts{Sidekiq: s, Jobs: theJob(t, job.Sidekiq)})
	if len(r.Gaps) > 0 {
		t.Errorf("%+v", r.Gaps)
	}
	return r
}

// What Sidekiq keeps by itself decides how long a record has to be kept.
func TestSidekiqRetention(t *testing.T) {
	s := &doctor.Sidekiq{Workers: map[string]doctor.SidekiqWorker{"ChargeWorker": {Retry: 10, Dead: true}}, DeadFor: 180 * 24 * 3600}
	long, short := theJob(t, job.Sidekiq, "400d", "181d"), theJob(t, job.Sidekiq, "400d", "180d")
	jobs := long
	comesAndGoes(t, "job.retention_short", func() doctor.Report { return doctor.Examine(doctor.Facts{Sidekiq: s, Jobs: jobs}) },
		func() { jobs = short }, func() { jobs = long })
}

func TestSidekiqApplicationsThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	s := &doctor.Sidekiq{Missing: doctor.Missing{}}
	template := filepath.Join(folder, "sidekiq.yml")
	if err := os.WriteFile(template, []byte(":timeout: <%= ENV['T'] %>"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := readsettings.SidekiqFile(template, "production", s); err != nil {
		t.Fatal(err)
	}
	r := doctor.Examine(doctor.Facts{Sidekiq: s})
	if len(r.Gaps) != 1 || r.Gaps[0].ID != "sidekiq.config" || !r.Untold() {
		t.Errorf("%+v", r)
	}
	see("sidekiq.config")
	ruby := sidekiqRuby(t)
	file := filepath.Join(folder, "app.rb")
	for text, want := range map[string]string{
		"raise ArgumentError, 'hunter2'":                           "ArgumentError",
		"require 'library_that_is_not_there'":                      "LoadError: there is no library_that_is_not_there",
		sidekiqApp + "\nObject.send(:remove_const, :ChargeWorker)": "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := readsettings.Sidekiq(ctxFor(t), ruby, file, []string{"ChargeWorker"})
		if want == "" {
			r := doctor.Examine(doctor.Facts{Sidekiq: s, Jobs: theJob(t, job.Sidekiq)})
			if err != nil || len(r.Findings) > 0 || len(r.Gaps) != 1 || r.Gaps[0].ID != "sidekiq.worker" {
				t.Errorf("%+v, %v", r, err)
			}
			see("sidekiq.worker")
		} else if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
