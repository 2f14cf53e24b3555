package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
)

// initResult is described in docs/json.md.
type initResult struct {
	Schema    string     `json:"schema"`
	Framework string     `json:"framework"`
	Database  string     `json:"database"`
	Written   bool       `json:"written"`
	Files     []initFile `json:"files"`
}

type initFile struct {
	Path string `json:"path"`
	What string `json:"what"`
	Text string `json:"text"`
}

// text is a diff, each of whose files is new.
func (r initResult) text(out io.Writer) error {
	added, plain := "", ""
	if isTerminal(out) && os.Getenv("NO_COLOR") == "" {
		added, plain = "\x1b[32m", "\x1b[0m"
	}
	var b strings.Builder
	for _, f := range r.Files {
		lines := strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n")
		fmt.Fprintf(&b, "# %s\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", f.What, visible.Line(f.Path), len(lines))
		for _, l := range lines {
			fmt.Fprintf(&b, "%s+%s%s\n", added, visible.Text(l), plain)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// agreed asks on a terminal.
func (f initFlags) agreed(ctx context.Context, nothing bool) (bool, error) {
	if f.write || f.json || nothing || !isTerminal(f.std.in) {
		return f.write, nil
	}
	fmt.Fprint(f.std.err, "write these files? [y/N] ")
	answer := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(f.std.in).ReadString('\n') // its end is a no
		answer <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case text := <-answer:
		return text == "y" || text == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(f.std.err)
		return false, context.Cause(ctx)
	}
}

func (f initFlags) tell(r initResult) error {
	if f.json {
		return show(f.std.out, true, r, nil)
	}
	if len(r.Files) == 0 {
		fmt.Fprintf(f.std.err, "nothing to write: all files are there, as init writes them (migrations of %s, %s)\n", r.Framework, databaseNames[r.Database])
		return nil
	}
	if !r.Written {
		fmt.Fprintf(f.std.err, "nothing was written (migrations of %s, %s); --write writes these %d files\n", r.Framework, databaseNames[r.Database], len(r.Files))
		return nil
	}
	fmt.Fprintf(f.std.err, "%d files were written (migrations of %s, %s)\n", len(r.Files), r.Framework, databaseNames[r.Database])
	fmt.Fprintf(f.std.err, "next: take the guarded job over into yours, fill in %s, run the migration, then twiceproof doctor and twiceproof replay\n", r.replayFile())
	return nil
}

func (r initResult) replayFile() string {
	for _, f := range r.Files {
		if name := path.Base(f.Path); strings.HasSuffix(name, ".replay.yaml") {
			return visible.Line(name)
		}
	}
	return "the replay file" // which was there
}
