package note

import (
	"strings"
	"testing"
)

// What a job file says stays text, in both forms, and cannot be read as something else
// than it is.
func TestJobFileTextStaysText(t *testing.T) {
	j := charge(t)
	j.Operation.Repeat = "<script>alert(1)</script> | **all** [x](http://evil) & `c` \u202eesrever"
	j.Effect.What = "line\n# heading\n<b>bold</b>"
	j.Message = "`x` | <i>"
	n := New(shown(j))
	page, text := html(t, n), markdown(t, n)
	for _, bad := range []string{"<script>", "<b>bold", "<i>", "\u202e"} {
		if strings.Contains(page, bad) || strings.Contains(text, bad) {
			t.Errorf("%q is on the page", bad)
		}
	}
	for _, bad := range []string{"**all**", "[x](", "\n# heading", " | \\*"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in the Markdown", bad)
		}
	}
	if !strings.Contains(page, "&lt;script&gt;") || !strings.Contains(text, `\u202e`) {
		t.Errorf("it was lost:\n%s", text)
	}
	if got := codeInMarkdown("a`b|c"); got != "``a`b\\|c``" {
		t.Errorf("got %s", got)
	}
}
