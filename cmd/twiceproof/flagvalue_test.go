package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// goWords are a library's own for what it could not read.
var goWords = regexp.MustCompile(`strconv|invalid syntax|value out of range|time: |invalid argument`)

// wordsOf runs the command and gives what it says of an error, which has no such words in it.
func wordsOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(t.Context(), args, stdio{in: strings.NewReader(""), out: &out, err: &errs})
	if goWords.MatchString(errs.String() + out.String()) {
		t.Errorf("%s: status %d, %s%s", strings.Join(args, " "), status, out.String(), errs.String())
	}
	return errs.String()
}

// No flag of any command answers in the words of the language that this is written in.
func TestAFlagSaysWhatItTakes(t *testing.T) {
	t.Chdir(t.TempDir())
	std := stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	numbers := 0
	for _, cmd := range rootCommand(std).Commands() {
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			wrong := map[string]string{"x": "", "1.5": "", "99999999999999999999": "", "-1x": ""}
			switch f.Value.Type() {
			case "int":
				numbers++
				wrong = map[string]string{"x": "no whole number", "1.5": "no whole number", "1e3": "no whole number", "": "no whole number", "99999999999999999999": "too large", "-99999999999999999999": "too small"}
			case "bool":
				wrong = map[string]string{"x": "switched on or off", "2": "switched on or off"}
			}
			for value, want := range wrong {
				said := wordsOf(t, cmd.Name(), "--"+f.Name+"="+value)
				right := strings.HasPrefix(said, "error: --"+f.Name+" is given ") && strings.Contains(said, want) && strings.Contains(said, "\nhint: write ")
				if want != "" && !right {
					t.Errorf("%s --%s=%s: %s", cmd.Name(), f.Name, value, said)
				}
			}
		})
	}
	if numbers < 3 {
		t.Errorf("%d flags take a number: the test sees none of them", numbers)
	}
}

// Nor does what a library says of an address.
func TestAnAddressSaysWhatItTakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dsn := range []string{
		"postgres://127.0.0.1/db?connect_timeout=x", "postgres://127.0.0.1:99999/db", "postgres://127.0.0.1:1x/db", "mysql://127.0.0.1:1x/db",
		"postgres://127.0.0.1/db?pool_max_conns=x&statement_cache_capacity=x",
	} {
		for _, command := range [][]string{{"status", "--table", "t"}, {"repeats", "--table", "t", "--reference", "r", "--time", "t"}} {
			if said := wordsOf(t, append(command, "--dsn", dsn)...); !strings.HasPrefix(said, "error: ") {
				t.Errorf("%s --dsn %s: %s", command[0], dsn, said)
			}
		}
	}
	for _, broker := range []string{"redis://127.0.0.1:1x/0", "redis://127.0.0.1:1/x", "redis://127.0.0.1:1/0?db=x", "amqp://127.0.0.1:1x", "http://127.0.0.1:1x"} {
		wordsOf(t, "doctor", "--broker", broker)
		wordsOf(t, "doctor", "--queue-url", broker)
		wordsOf(t, "doctor", "--broker", "amqp://127.0.0.1:1/", "--rabbitmq-api", broker)
	}
}

func TestNumbersTold(t *testing.T) {
	for text, want := range map[string]string{
		`invalid connect_timeout (strconv.ParseInt: parsing "x": invalid syntax)`: `invalid connect_timeout ("x" is no number)`,
		`strconv.Atoi: parsing "9\"9": value out of range, and more`:              `"9\"9" is too large or too small a number, and more`,
		"nothing of it": "nothing of it",
	} {
		if got := numbersTold(text); got != want {
			t.Errorf("got %s", got)
		}
	}
}
