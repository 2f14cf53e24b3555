package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/twiceproof/twiceproof/job"
	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay"
)

// Whatever a job is called, its evidence is in one folder of its own below evidence/.
func TestEvidenceFolder(t *testing.T) {
	seen := map[string]string{}
	for jobType, want := range map[string]string{
		"charge.create": "charge.create", "../../esc": "%2E.%2F..%2Fesc", "..": "%2E.", ".": "%2E", ".git": "%2Egit",
		"/etc/job": "%2Fetc%2Fjob", "a/b": "a%2Fb", "a%2Fb": "a%252Fb", "%2E": "%252E", `a\b`: "a%5Cb", "mail an été": "mail an été",
	} {
		request := replay.Request{Spec: &jobfile.Replay{Path: filepath.Join("shop", jobfile.DefaultReplayName), JobFile: jobfile.DefaultName}, Job: job.Job{Type: jobType}}
		got := replayFlags{}.evidenceFolder(request)
		if got != filepath.Join("shop", "evidence", want) {
			t.Errorf("%s: %s", jobType, got)
		}
		if filepath.Dir(got) != filepath.Join("shop", "evidence") || strings.Contains(got, "..") && !strings.Contains(got, "%2E.") {
			t.Errorf("%s: %s is not below evidence", jobType, got)
		}
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s share %s", jobType, other, got)
		}
		seen[got] = jobType
	}
}
