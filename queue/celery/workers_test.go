package celery

import (
	"os"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
	"github.com/twiceproof/twiceproof/internal/testreplay"
)

// TestReplaysOfTheExamples: of each broker every case, by workers of the newest Celery and of
// Debian's 5.2. What is found is the same.
func TestReplaysOfTheExamples(t *testing.T) {
	if os.Getenv("TWICEPROOF_FULL") == "" {
		t.Skip("it takes an hour; TWICEPROOF_FULL=1 runs it")
	}
	tool := testreplay.Tool(t)
	common := []string{"celery-charge", "celery-charge/rabbitmq", "celery-charge/sqs", "celery-mail"}
	for environment, examples := range map[string][]string{
		"python":        append(common, "celery-charge-row"),
		"debian-python": common, // whose SQLAlchemy is too old for the other one
	} {
		python := testreplay.Interpreter(t, environment+"/bin/python", "celery")
		for _, example := range examples {
			t.Run(environment+"/"+example, func(t *testing.T) { testreplay.Example(t, *golden.Update, tool, example, "PYTHON="+python) })
		}
	}
}
