package docs

import (
	"regexp"
	"strings"
	"testing"
)

// What a history may tell is on the page: each kind of event, and each of the queue's own that
// the replay asks about.
func TestEveryEventIsOnThePage(t *testing.T) {
	page := read(t, "docs/json.md")
	for file, declares := range map[string]string{"replay/judge/event.go": `\n\tEvent\w+ += "(\w+)"`, "queue/queue.go": `\n\t\w+ +Kind = "(\w+)"`} {
		kinds := regexp.MustCompile(declares).FindAllStringSubmatch(read(t, file), -1)
		if len(kinds) < 10 {
			t.Errorf("%s: only %d kinds are found", file, len(kinds))
		}
		for _, kind := range kinds {
			if !strings.Contains(page, "`"+kind[1]+"`") {
				t.Errorf("docs/json.md says nothing of %s", kind[1])
			}
		}
	}
}
