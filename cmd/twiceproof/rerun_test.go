package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A shell reads the command back as it was typed, whatever the paths have in them.
func TestRerunIsReadBackByAShell(t *testing.T) {
	for _, c := range []struct {
		flags replayFlags
		want  []string
	}{
		{replayFlags{folder: "."}, []string{"twiceproof", "replay", ".", "--only", "new/young_claim/"}},
		{
			replayFlags{folder: "it's a $job `x` \"y\"", policyFlags: policyFlags{policy: "hold"}, evidence: "kept here/\\a*b\n;c", json: true},
			[]string{
				"twiceproof", "replay", "it's a $job `x` \"y\"", "--only", "new/young_claim/", "--policy", "hold",
				"--evidence", "kept here/\\a*b\n;c", "--json",
			},
		},
		{
			replayFlags{folder: ".", policyFlags: policyFlags{policy: "resend", referenceWindow: "1d"}},
			[]string{"twiceproof", "replay", ".", "--only", "new/young_claim/", "--policy", "resend", "--reference-window", "1d"},
		},
		{replayFlags{folder: ".", rung: "step"}, []string{"twiceproof", "replay", ".", "--only", "new/young_claim/", "--rung", "step"}},
		{replayFlags{folder: ".", rung: "durable"}, []string{"twiceproof", "replay", ".", "--only", "new/young_claim/"}},
		{replayFlags{folder: "-job", markdown: true}, []string{"twiceproof", "replay", "./-job", "--only", "new/young_claim/", "--markdown"}},
		{replayFlags{folder: "~/job", evidence: "été"}, []string{"twiceproof", "replay", "~/job", "--only", "new/young_claim/", "--evidence", "été"}},
	} {
		command := c.flags.rerun("new", "young_claim/")
		text, err := exec.CommandContext(t.Context(), "sh", "-c", `twiceproof() { printf '%s\0' twiceproof "$@"; }`+"\n"+command).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"); !slices.Equal(got, c.want) {
			t.Errorf("%s\nis read back as %q, want %q", command, got, c.want)
		}
	}
}

func TestMadeByGoRun(t *testing.T) {
	for program, want := range map[string]bool{
		"/tmp/go-build4086873372/b001/exe/twiceproof":                                 true,
		"/home/me/.cache/go-build/7c/7c" + strings.Repeat("0a", 31) + "-d/twiceproof": true,
		"/home/me/.cache/go-build/7c/twiceproof":                                      false,
		"/usr/local/bin/twiceproof":                                                   false,
		"/tmp/go-build4086873372/b001/twiceproof.test":                                false,
	} {
		if madeByGoRun(program) != want {
			t.Errorf("%s: %t", program, !want)
		}
	}
}
