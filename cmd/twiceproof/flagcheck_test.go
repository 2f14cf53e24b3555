package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// No command passes over a flag that is given with nothing, as an unset variable leaves it.
// Counter-example: prune --job "$UNSET" --apply, which would delete the records of all jobs.
func TestNoFlagIsGivenWithNothing(t *testing.T) {
	std := stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	for _, cmd := range rootCommand(std).Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if kind := f.Value.Type(); kind == "bool" || kind == "int" {
				return
			}
			for what, given := range map[string][]string{"with nothing": {""}, "twice": {"a", "b"}} {
				args := []string{cmd.Name()}
				for _, value := range given {
					args = append(args, "--"+f.Name+"="+value)
				}
				if _, list := f.Value.(pflag.SliceValue); list && len(given) > 1 {
					continue
				}
				var out, errs bytes.Buffer
				status := run(t.Context(), args, stdio{in: strings.NewReader(""), out: &out, err: &errs})
				if want := "error: --" + f.Name + " is given " + what; status != statusUsage || !strings.Contains(errs.String(), want) {
					t.Errorf("%s %s: status %d, %s%s", cmd.Name(), args[1:], status, out.String(), errs.String())
				}
			}
		})
	}
}
