//go:build linux

package process

import (
	"os"
	"syscall"
	"testing"
)

func TestReadStat(t *testing.T) {
	const rest = " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 20 0 77 0"
	for _, c := range []struct {
		text string
		want stat
		ok   bool
	}{
		{"9 (sh) S 4 5" + rest, stat{4, 5, "77", false}, true},
		{"9 (a ) R 1 (b) S 4 5" + rest, stat{4, 5, "77", false}, true}, // a name with brackets and spaces
		{"9 (sh) T 4 5" + rest, stat{4, 5, "77", false}, true},
		{"9 (sh) Z 4 5" + rest, stat{4, 5, "77", true}, true},
		{"9 (sh) X 4 5" + rest, stat{4, 5, "77", true}, true},
		{"9 (sh) S x 5" + rest, stat{}, false},
		{"9 (sh) S 4 5", stat{}, false},
		{"9 (sh", stat{}, false},
		{"", stat{}, false},
	} {
		got, ok := readStat(c.text)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q: got %+v, %t", c.text, got, ok)
		}
	}
	self, ok := processes()[os.Getpid()]
	if !ok || self.parent != os.Getppid() || self.group != syscall.Getpgrp() {
		t.Errorf("this process is %+v, %t", self, ok)
	}
}

func TestDescendants(t *testing.T) {
	all := map[int]stat{
		1: {0, 1, "a", false}, 10: {1, 10, "b", false}, 11: {10, 10, "c", false}, 12: {11, 12, "d", false}, 13: {12, 13, "e", false}, 14: {1, 14, "f", false},
		15: {1, 10, "g", false}, 16: {15, 16, "h", false}, 17: {1, 17, "i", false}, 18: {17, 17, "j", false},
	}
	tr := tree{group: 10, left: map[int]string{17: "i", 14: "another start"}}
	got := tr.descendants(all)
	for pid := range all {
		_, in := got[pid]
		if want := pid >= 10 && pid != 14; in != want {
			t.Errorf("%d is in the tree: %t, want %t", pid, in, want)
		}
	}
}
