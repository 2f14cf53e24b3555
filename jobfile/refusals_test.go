package jobfile

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/internal/golden"
)

// A refusals file holds a sound file, then cases: lines to take out of it (-)
// and to put in (+), and the errors that follow. Without lines to take out,
// the lines to put in are the whole file.
func TestJobFileRefusals(t *testing.T) {
	checkRefusals(t, "testdata/refusals.txtar", func(text []byte) error {
		_, err := Parse("twiceproof.yaml", text)
		return err
	})
}

func TestReplayFileRefusals(t *testing.T) {
	checkRefusals(t, "testdata/replay-refusals.txtar", func(text []byte) error {
		_, err := ParseReplay("twiceproof.replay.yaml", text)
		return err
	})
}

// The job file of these cases stands beside the replay file.
func TestReplayAgainstItsJob(t *testing.T) {
	sections := readSections(t, "testdata/replay-job.txtar")
	file, err := Parse("twiceproof.yaml", []byte(sections[0].text))
	if err != nil {
		t.Fatal(err)
	}
	checkRefusals(t, "testdata/replay-job.txtar", func(text []byte) error {
		replay, err := ParseReplay("twiceproof.replay.yaml", text)
		if err != nil {
			return err
		}
		_, err = replay.JobOf(file)
		return err
	})
}

func checkRefusals(t *testing.T, path string, parse func([]byte) error) {
	t.Helper()
	sections := readSections(t, path)
	first := slices.IndexFunc(sections, func(s section) bool { return !strings.HasSuffix(s.name, ".yaml") })
	base := sections[first-1].text
	if err := parse([]byte(base)); err != nil {
		t.Fatalf("the sound file is refused: %v", err)
	}
	for i := first; i+1 < len(sections); i += 2 {
		got := describe(parse(edit(t, base, sections[i])))
		if *golden.Update {
			sections[i+1].text = got
		}
		if want := sections[i+1].text; got != want {
			t.Errorf("%s:\ngot:\n%swant:\n%s", sections[i].name, got, want)
		}
	}
	if *golden.Update {
		writeSections(t, path, sections)
	}
}

// section is one part of a txtar file.
type section struct{ name, text string }

func readSections(t *testing.T, path string) []section {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var sections []section
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			sections = append(sections, section{name: strings.TrimSuffix(name, " --\n")})
			continue
		}
		sections[len(sections)-1].text += line
	}
	return sections
}

func writeSections(t *testing.T, path string, sections []section) {
	t.Helper()
	var b strings.Builder
	for _, s := range sections {
		b.WriteString("-- " + s.name + " --\n" + s.text)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, base string, s section) []byte {
	t.Helper()
	var out, in strings.Builder
	for line := range strings.Lines(s.text) {
		switch line[0] {
		case '-':
			out.WriteString(line[1:])
		case '+':
			in.WriteString(line[1:])
		default:
			t.Fatalf("%s: a line starts with neither - nor +", s.name)
		}
	}
	if out.Len() == 0 {
		return []byte(in.String())
	}
	if n := strings.Count(base, out.String()); n != 1 {
		t.Fatalf("%s: the lines to take out are there %d times", s.name, n)
	}
	return []byte(strings.Replace(base, out.String(), in.String(), 1))
}

func describe(err error) string {
	if err == nil {
		return "accepted\n"
	}
	var b strings.Builder
	for _, e := range Errors(err) {
		b.WriteString(e.Error() + "\nhint: " + e.Hint + "\n")
	}
	return b.String()
}
