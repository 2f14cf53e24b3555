package readsettings

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/twiceproof/twiceproof/doctor"
)

//go:embed sidekiq.rb
var sidekiqScript string

// normalTimeout is how long Sidekiq waits for its jobs when nobody has said otherwise.
const normalTimeout = 25 * time.Second

// Sidekiq requires a file with a Ruby that can, and reads the settings of the workers.
func Sidekiq(ctx context.Context, ruby, file string, workers []string) (*doctor.Sidekiq, error) {
	s := &doctor.Sidekiq{Missing: doctor.Missing{}}
	args := append([]string{"-e", sidekiqScript, "--", file}, workers...)
	err := ask(ctx, s, ruby, args...)
	if err == nil && s.Workers == nil {
		s.Workers = map[string]doctor.SidekiqWorker{}
	}
	return s, err
}

// SidekiqFile reads timeout and queues of a sidekiq.yml, as they count in an
// environment such as production.
func SidekiqFile(path, environment string, into *doctor.Sidekiq) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if strings.Contains(string(text), "<%") {
		into.Missing["sidekiq.config"] = path + " is a template (ERB), which only Sidekiq itself evaluates"
		return nil
	}
	var all map[string]any
	if err := yaml.Unmarshal(text, &all); err != nil {
		return errors.New("it is no YAML") // the error itself would show the text
	}
	all = withoutColons(all)
	if own, is := all[environment].(map[string]any); is { // it counts more
		for name, value := range withoutColons(own) {
			all[name] = value
		}
	}
	into.Timeout = normalTimeout
	if n, is := all["timeout"]; is {
		seconds, err := time.ParseDuration(fmt.Sprint(n) + "s")
		if err != nil {
			return errors.New("its timeout is no number of seconds")
		}
		into.Timeout = seconds
	}
	into.Queues = queuesOf(all["queues"])
	return nil
}

// withoutColons: keys may be symbols.
func withoutColons(all map[string]any) map[string]any {
	plain := map[string]any{}
	for name, value := range all {
		plain[strings.TrimPrefix(name, ":")] = value
	}
	return plain
}

// queuesOf: a queue is a name, or a list of name and weight. Without any it is default.
func queuesOf(list any) (names []string) {
	all, _ := list.([]any)
	for _, one := range all {
		if pair, is := one.([]any); is && len(pair) > 0 {
			one = pair[0]
		}
		name, _, _ := strings.Cut(fmt.Sprint(one), ",")
		names = append(names, name)
	}
	if len(names) == 0 {
		names = []string{"default"}
	}
	return names
}
