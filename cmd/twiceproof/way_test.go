package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var updateWays = flag.Bool("update-ways", false, "write what the commands of docs/way-*.md print into the pages")

// typed is one command of a page, as it is typed, and what it says there.
type typed struct {
	command, says string
	status        int
}

// console is a block of commands; whole says that it is run in full tests only.
var console = regexp.MustCompile("(?s)```console( full)?\n(.*?)```\n")

// commandsOf reads a block: a command after "$ ", what it prints, and its exit status in
// brackets unless that is 0. A line that ends with a backslash goes on.
func commandsOf(block string) (all []typed) {
	for line := range strings.Lines(block) {
		if command, is := strings.CutPrefix(line, "$ "); is {
			all = append(all, typed{command: command})
			continue
		}
		if len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		if strings.HasSuffix(last.command, "\\\n") {
			last.command += line
		} else if n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(line), "[]")); err == nil && strings.HasPrefix(line, "[") {
			last.status = n
		} else {
			last.says += line
		}
	}
	return all
}

// matches says whether the text is what a page shows, where … stands for anything, and
// for any number of lines if it is alone on one.
func matches(shown, text string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(shown) {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString("(?:.*\n)*?")
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, "\n")), "…", ".*") + "\n")
	}
	return regexp.MustCompile("^" + pattern.String() + "$").MatchString(text)
}

// A marker that nothing prints stands before each command's text and after it.
const marker = "\x01way\x01"

// runCommands runs them one after another in one shell, in the folder.
func runCommands(ctx context.Context, dir string, env []string, all []typed) ([]typed, error) {
	var script strings.Builder
	script.WriteString("exec 2>&1 </dev/null\n")
	for _, c := range all {
		fmt.Fprintf(&script, "%s\nprintf '\\001way\\001%%s\\001way\\001' $?\n", strings.TrimSuffix(c.command, "\n"))
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	parts := strings.Split(string(out), marker)
	var said []typed
	for i, c := range all {
		if len(parts) < 2*i+2 {
			return nil, fmt.Errorf("%q did not come to its end: %s", c.command, out)
		}
		status, err := strconv.Atoi(parts[2*i+1])
		if err != nil {
			return nil, err
		}
		said = append(said, typed{c.command, parts[2*i], status})
	}
	return said, nil
}

// walk runs a page's commands and compares what they print with what the page shows.
func walk(t *testing.T, page string, env ...string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []typed
	var from []int
	blocks := console.FindAllSubmatchIndex(text, -1)
	for i, b := range blocks {
		if b[2] >= 0 && os.Getenv("TWICEPROOF_FULL") == "" {
			t.Logf("with TWICEPROOF_FULL only: %s", bytes.TrimSpace(text[b[4]:b[5]]))
			continue
		}
		for _, c := range commandsOf(string(text[b[4]:b[5]])) {
			all, from = append(all, c), append(from, i)
		}
	}
	said, err := runCommands(t.Context(), t.TempDir(), env, all)
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[int]string)
	for i, c := range all {
		if got := said[i]; !matches(c.says, got.says) || c.status != got.status {
			if !*updateWays {
				t.Errorf("$ %sprints, with status %d:\n%s\nthe page %s shows, with status %d:\n%s", c.command, got.status, got.says, filepath.Base(page), c.status, c.says)
			}
			c.says, c.status = got.says, got.status
		}
		shown[from[i]] += c.text()
	}
	if *updateWays {
		if err := os.WriteFile(page, replaceBlocks(text, blocks, shown), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// text is the command as a page shows it.
func (c typed) text() string {
	text := "$ " + c.command + c.says
	if c.status != 0 {
		text += fmt.Sprintf("[%d]\n", c.status)
	}
	return text
}

func replaceBlocks(text []byte, blocks [][]int, shown map[int]string) []byte {
	for i := len(blocks) - 1; i >= 0; i-- {
		if new, is := shown[i]; is {
			text = append(text[:blocks[i][4]:blocks[i][4]], append([]byte(new), text[blocks[i][5]:]...)...)
		}
	}
	return text
}
