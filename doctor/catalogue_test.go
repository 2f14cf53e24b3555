package doctor_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/doctor"
)

var update = flag.Bool("update", false, "write the table in docs/doctor.md anew")

// TestMain sees to it that every finding was seen to come and go, where all tests ran.
func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if status == 0 && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" {
		status = unseen()
	}
	os.Exit(status)
}

func unseen() (status int) {
	_, noPython := os.Stat("../bin/python/bin/python3")
	noRuby := exec.Command("ruby", "-e", "require 'sidekiq'").Run()
	for _, e := range doctor.Catalogue() {
		source, _, _ := strings.Cut(e.ID, ".")
		skipped := source == "celery" && noPython != nil || source == "sidekiq" && noRuby != nil
		if !shown.ids[e.ID] && !skipped {
			fmt.Printf("FAIL: no test has seen %s come and go\n", e.ID)
			status = 1
		}
	}
	return status
}

var name = regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)

func TestCatalogue(t *testing.T) {
	var names []string
	for _, e := range doctor.Catalogue() {
		if !name.MatchString(e.ID) || slices.Contains(names, e.ID) {
			t.Errorf("%q is no name, or there twice", e.ID)
		}
		names = append(names, e.ID)
		if e.What == "" || !strings.HasSuffix(e.Why, ".") || !strings.HasSuffix(e.Mend, ".") && !strings.HasSuffix(e.Mend, ")") {
			t.Errorf("%s: a sentence is missing: %+v", e.ID, e)
		}
		if strings.Contains(e.What+e.Why+e.Mend, "|") {
			t.Errorf("%s breaks the table", e.ID)
		}
	}
}

const (
	pageName = "../docs/doctor.md"
	begin    = "<!-- the table is made from the catalogue: go test ./doctor -run TestPage -update -->\n"
	end      = "<!-- end of the table -->\n"
)

// The page's table is the catalogue.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(pageName)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", pageName)
	}
	want := before + begin + table() + end + after
	if *update {
		if err := os.WriteFile(pageName, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s differs from the catalogue (-update writes it anew)", pageName)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("\n| id | can | what | why | mend |\n| --- | --- | --- | --- | --- |\n")
	for _, e := range doctor.Catalogue() {
		can := string(e.Severity)
		if e.Voids {
			can += ", voids"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.ID, can, e.What, e.Why, strings.ReplaceAll(e.Mend, "{table}", "idempotency_records"))
	}
	return b.String() + "\n"
}
