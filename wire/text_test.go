package wire_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/wire"
)

// A long text keeps its identity; bytes that are no UTF-8 do not get out.
func TestClip(t *testing.T) {
	one, two := wire.Clip(strings.Repeat("é", 1000)+"a"), wire.Clip(strings.Repeat("é", 1000)+"b")
	if one == two || len(one) > 620 {
		t.Errorf("%q, %q", one, two)
	}
	if got := wire.Clip("a\xffb"); got != "a?b" {
		t.Errorf("%q", got)
	}
}

func TestJoin(t *testing.T) {
	joined := wire.Join([]string{"a", "a", "b", "a"})
	if joined != "a (2 times); b; a" || wire.Join(nil) != "" {
		t.Errorf("joined %q", joined)
	}
	if got := wire.Split(joined); !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("split %q", got)
	}
}

// Names of two runs of the same job agree; those of two queues differ.
func TestMaskName(t *testing.T) {
	for name, want := range map[string]string{
		"queue:default2":                                  "queue:default2",
		"order:17":                                        "order:?",
		"celery\x06\x163":                                 `celery\x06\x163`,
		"host-1.example:4711:1f2e3d4c5b6a:work":           "?:work",
		"amq.gen-JzTY20BRgKO5HjmUJj0wLg":                  "?",
		"amq.gen--FfQn4QLgwbVo-vp":                        "?",
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8.reply":      "?.reply",
		"celery@worker1.celery.pidbox":                    "celery@worker1.celery.pidbox",
		"stat:processed:2026-03-04 at 1795981924.88 é \"": `stat:processed:? at ? \u00e9 \"`,
	} {
		if got := wire.MaskName(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}
