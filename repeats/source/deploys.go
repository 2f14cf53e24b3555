package source

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Deploys reads the moments of deploys: a time at the start of each line, and whatever
// follows it. Empty lines and those that begin with # are passed over.
func Deploys(f *File, clock *Clock) (moments []int64, err error) {
	lines := bufio.NewScanner(f.Reader)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at, ok := leadingTime(clock, line)
		if !ok {
			if n == 1 { // the head of a CSV file
				continue
			}
			return nil, &Error{fmt.Sprintf("%s: line %d does not begin with a time", f.Name, n), "write one such as 2026-03-04T05:06:07Z at the start of each line"}
		}
		moments = append(moments, at)
	}
	if err := lines.Err(); err != nil {
		return nil, f.Broken(err)
	}
	if len(moments) == 0 {
		return nil, &Error{f.Name + " has no time in it", "write one such as 2026-03-04T05:06:07Z at the start of each line"}
	}
	return moments, nil
}

// leadingTime: all of the line, or what is before a comma, or its first words.
func leadingTime(clock *Clock, line string) (int64, bool) {
	words := strings.Fields(line)
	tries := []string{line, strings.Trim(strings.Split(line, ",")[0], `"`)}
	for n := min(3, len(words)); n > 0; n-- {
		tries = append(tries, strings.Join(words[:n], " "))
	}
	for _, text := range tries {
		if at, why := clock.Parse(text); why == "" {
			return at, true
		}
	}
	return 0, false
}

// GitDeploys takes a repository's tags for deploys, by their date, or, where it has
// none, the commits of its main line. What says which.
func GitDeploys(ctx context.Context, folder string) (moments []int64, what string, err error) {
	tags, err := git(ctx, folder, "for-each-ref", "--format=%(creatordate:unix)", "refs/tags")
	if err == nil && len(tags) > 0 {
		return tags, "tags", nil
	}
	if err == nil {
		moments, err = git(ctx, folder, "log", "--first-parent", "--format=%ct")
	}
	if err != nil {
		return nil, "", &Error{"git log of " + folder + ": " + err.Error(), "name a folder that is in a git repository, or the times with --deploys FILE"}
	}
	return moments, "commits of the main line", nil
}

func git(ctx context.Context, folder string, args ...string) (moments []int64, err error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...).Output()
	if err != nil {
		return nil, err
	}
	for _, word := range strings.Fields(string(out)) {
		seconds, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, err
		}
		moments = append(moments, seconds*int64(time.Second/time.Microsecond))
	}
	return moments, nil
}
