package sidekiq

import (
	"os"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/internal/testreplay"
)

// TestReplaysOfTheExamples: every case, by workers of Debian's Sidekiq 6.4, 7.3 and 8. What is
// found is the same.
func TestReplaysOfTheExamples(t *testing.T) {
	if os.Getenv("TWICEPROOF_FULL") == "" {
		t.Skip("it takes an hour; TWICEPROOF_FULL=1 runs it")
	}
	tool := testreplay.Tool(t)
	common := []string{"sidekiq-charge", "sidekiq-charge/mysql", "sidekiq-charge/active_job", "sidekiq-charge-row", "sidekiq-mail"}
	for ruby, examples := range map[string][]string{
		"":               append(common, "sidekiq-charge-row/mysql", "sidekiq-mail/mysql", "sidekiq-charge/reliable"),
		"sidekiq-7/ruby": common, // gitlab-sidekiq-fetcher is of Sidekiq 6
		"sidekiq-8/ruby": common,
	} {
		environment := "RUBY=ruby"
		if ruby != "" {
			environment = "RUBY=" + testreplay.Interpreter(t, ruby, "sidekiq")
		}
		for _, example := range examples {
			t.Run(ruby+"/"+example, func(t *testing.T) { testreplay.Example(t, *golden.Update, tool, example, environment) })
		}
	}
}
