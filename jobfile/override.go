package jobfile

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/twiceproof/twiceproof/job"
)

// WithPolicy gives the text of a job file in which one job has another policy
// for a stale claim, with those settings of the old one that the new one takes.
// So a replay can show what another policy would do before it is chosen.
func WithPolicy(text []byte, j job.Job, policy job.Policy) ([]byte, error) {
	file, err := parser.ParseBytes(text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("change policy: %w", err)
	}
	other, err := parser.ParseBytes([]byte(staleText(j.Stale, policy)), 0)
	if err != nil {
		return nil, fmt.Errorf("change policy: %w", err)
	}
	stale := entry(entry(entry(file.Docs[0].Body, "jobs"), j.Type), "stale_claim")
	if stale == nil {
		return nil, fmt.Errorf("change policy: job %q has no stale_claim", j.Type)
	}
	if err := stale.(*ast.MappingValueNode).Replace(other.Docs[0].Body); err != nil {
		return nil, fmt.Errorf("change policy: %w", err)
	}
	return []byte(file.String()), nil
}

// entry finds one entry of a mapping by its name. The library's own paths do not
// take every name that a job may have.
func entry(in ast.Node, name string) ast.Node {
	if e, ok := in.(*ast.MappingValueNode); ok {
		in = e.Value
	}
	mapping, ok := in.(*ast.MappingNode)
	if !ok {
		return nil
	}
	for _, e := range mapping.Values {
		if e.Key.GetToken().Value == name {
			return e
		}
	}
	return nil
}

func staleText(s job.Stale, policy job.Policy) string {
	settings := []string{"policy: " + string(policy)}
	if policy == job.Lookup && s.Settle > 0 {
		settings = append(settings, "settle: "+FormatDuration(s.Settle))
	}
	if policy == job.Resend && s.ReferenceWindow > 0 {
		settings = append(settings, "reference_window: "+FormatDuration(s.ReferenceWindow))
	}
	if policy == job.Lookup && s.MaxLookups > 0 {
		settings = append(settings, fmt.Sprintf("max_lookups: %d", s.MaxLookups))
	}
	if s.MaxTakeovers > 0 {
		settings = append(settings, fmt.Sprintf("max_takeovers: %d", s.MaxTakeovers))
	}
	return "{" + strings.Join(settings, ", ") + "}"
}
