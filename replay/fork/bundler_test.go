//go:build linux

package fork

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bundled prints what Bundler makes of a program: what it may load, and with what.
const bundled = `require "json"; require "rack"; require "redis"
beside = begin require "sequel" rescue LoadError; "not there" end
puts JSON.pretty_generate(url: ENV["DATABASE_URL"], gems: Gem.loaded_specs.keys.sort, path: $LOAD_PATH, beside: beside,
  environ: ENV.to_h.slice("RUBYOPT", "RUBYLIB", "BUNDLE_GEMFILE", "BUNDLE_BIN_PATH", "BUNDLER_VERSION"),
  loaded: $LOADED_FEATURES.grep(/rack|redis/).size, by: Kernel.method(:require).owner.to_s)
`

// What Bundler sets up is the same in a fork; where it cannot be, it is said and the worker
// is started as ever.
func TestForksWithBundler(t *testing.T) {
	if _, err := exec.LookPath("bundle"); err != nil {
		t.Fatal("no Bundler\nhint: apt-get install ruby-bundler")
	}
	here := t.TempDir()
	writeIn(t, here, map[string]string{
		"Gemfile": "gem 'rack'\ngem 'redis'\n", "main.rb": bundled, "setup.rb": "require 'bundler/setup'\n" + bundled,
		"program": "#!/usr/bin/env ruby\n" + bundled,
	})
	if err := os.Chmod(filepath.Join(here, "program"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	locked(t, here)
	for _, c := range []struct {
		command string
		forked  bool
		text    string
	}{
		{"bundle exec ./program", true, "that they ask for)"},
		{"bundle exec $PWD/program {port}", true, "that they ask for)"},
		{"ruby setup.rb", true, "that they ask for)"},
		{"bundle exec ruby main.rb", true, "that they ask for)"}, // of Bundler's own program: it starts the worker's in its place, cold
		{"ruby -r bundler/setup main.rb", false, "is the worker's own to load"},
		{"bundle exec ./program; true", false, "leaves a shell"},
	} {
		t.Run(c.command, func(t *testing.T) { sameForked(t, here, c.command, c.text, c.forked) })
	}
}

// locked has Bundler write down which gems it takes, as it does before anything is deployed:
// a first worker that does so loads what no other one does.
func locked(t *testing.T, here string) {
	t.Helper()
	lock := exec.Command("bundle", "lock", "--local")
	lock.Dir, lock.Env = here, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + here}
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// sameForked: the third worker prints what a cold one prints.
func sameForked(t *testing.T, here, command, text string, forked bool) {
	t.Helper()
	told := runForks(t, command, here)
	if told.Forked[2] != forked || !strings.Contains(told.Text, text) {
		t.Fatalf("%+v", told)
	}
	sameLines(t, told.Cold, told.Workers[2])
	if !strings.Contains(told.Cold, "not there") {
		t.Errorf("Bundler has not set it up: %s", told.Cold)
	}
}

// An application of Rails boots in a fork as it does by itself. How much of it is loaded before
// the fork is up to its libraries: concurrent-ruby before 1.2 starts a thread, and says so.
func TestForksWithRails(t *testing.T) {
	if out, err := exec.Command("ruby", "-e", "require 'rails'").CombinedOutput(); err != nil {
		t.Fatalf("no Rails: %s\nhint: apt-get install ruby-railties", out)
	}
	here := t.TempDir()
	const app = `require "rails"; require "active_job/railtie"
class Shop < Rails::Application
  config.load_defaults 6.1
  config.eager_load = false
  config.logger = Logger.new(nil)
end
class Charge < ActiveJob::Base; self.queue_adapter = :inline; def perform(url) = puts("charged by #{url}"); end
Shop.initialize!
Charge.perform_later(ENV["DATABASE_URL"])
puts Rails.env, Rails.root, Shop.initializers.size, $LOAD_PATH, Gem.loaded_specs.keys.sort
puts begin require "sequel" rescue LoadError; "not there" end
`
	writeIn(t, here, map[string]string{
		"Gemfile": "gem 'railties', require: false\ngem 'activejob'\n", "config.ru": "", "program": "#!/usr/bin/env ruby\n" + app,
		"setup.rb": "require 'bundler/setup'\n" + app,
	})
	if err := os.Chmod(filepath.Join(here, "program"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	locked(t, here)
	for _, command := range []string{"bundle exec ./program", "ruby setup.rb"} {
		t.Run(command, func(t *testing.T) { sameForked(t, here, command, "that they ask for", true) })
	}
}
