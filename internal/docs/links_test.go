package docs

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are the documents, by their names.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(found) < 5 {
		t.Fatalf("%d pages in docs, %v", len(found), err)
	}
	names := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
	for _, file := range found {
		names = append(names, "docs/"+filepath.Base(file))
	}
	all := map[string]string{}
	for _, name := range names {
		all[name] = read(t, name)
	}
	return all
}

var (
	link   = regexp.MustCompile(`\]\(\s*<?([^)>\s]+)[^)]*\)`)
	target = regexp.MustCompile(`(?m)^\[[^\]]+\]:\s*<?([^>\s]+)`)
	block  = regexp.MustCompile("(?ms)^ *```.*?\n *```")
	code   = regexp.MustCompile("`[^`\n]*`")
)

// broken are a page's relative links that lead to no file.
func broken(page, text string) (links []string) {
	text = code.ReplaceAllString(block.ReplaceAllString(text, ""), "")
	for _, found := range slices.Concat(link.FindAllStringSubmatch(text, -1), target.FindAllStringSubmatch(text, -1)) {
		to, err := url.Parse(found[1])
		if err == nil && (to.IsAbs() || to.Host != "" || to.Path == "") {
			continue // elsewhere, or on this page
		}
		if err == nil {
			_, err = os.Stat(filepath.Join(root, filepath.Dir(page), filepath.FromSlash(to.Path)))
		}
		if err != nil || strings.HasPrefix(to.Path, "/") {
			links = append(links, found[1])
		}
	}
	return links
}

// Every relative link of the pages leads to a file.
func TestLinksLeadToFiles(t *testing.T) {
	links := 0
	for name, text := range pages(t) {
		links += len(link.FindAllString(text, -1))
		for _, to := range broken(name, text) {
			t.Errorf("%s links to %s, which is not there", name, to)
		}
	}
	if links < 20 {
		t.Errorf("only %d links were found", links)
	}
}

// The control: made-up pages whose links lead nowhere.
func TestLinksLeadToFilesControl(t *testing.T) {
	for text, want := range map[string]int{
		"[a](guarantee.md) [b](../README.md) [c](../guardpgx/)": 0,
		"[a](guarantee.md#the-record) [b](#here)":               0,
		"[a](https://example.org/x.md) [b](mailto:a@b.example)": 0,
		"[a](no.md) ![b](../no.png 'title')":                    2,
		"[a](README.md)":                                        1, // in the other folder
		"[a](/docs/guarantee.md)":                               1, // only on the disk of who wrote it
		"[a][b]\n\n[b]: no.md":                                  1,
		"`[a](no.md)`\n```\n[b](no.md)\n```":                    0,
	} {
		if got := broken("docs/page.md", text); len(got) != want {
			t.Errorf("%s: %q are broken, want %d", text, got, want)
		}
	}
}
