package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository's, from this folder.
const root = "../.."

// A test is named with its folder, or without one when it is the root package's. A … in
// the name stands for anything.
var named = regexp.MustCompile("`(?:([\\w./-]+):)?((?:Test|test_)[\\w…]*)`")

// known are the folders' tests, each read once.
var known = map[string][]string{}

// testsOf are the names of a package's tests.
func testsOf(folder string) ([]string, error) {
	if names, is := known[folder]; is {
		return names, nil
	}
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	inPython, err := filepath.Glob(filepath.Join(root, folder, "test_*.py"))
	if err != nil {
		return nil, err
	}
	inRuby, err := filepath.Glob(filepath.Join(root, folder, "*_test.rb"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range slices.Concat(files, inPython, inRuby) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1]+found[2]) // one of them is empty
		}
		for _, found := range onEach.FindAllStringSubmatch(string(text), -1) {
			names = append(names, "test_"+strings.ReplaceAll(found[1], " ", "_"))
		}
	}
	known[folder] = names
	return names, nil
}

var (
	declared = regexp.MustCompile(`(?m)^(?:func (Test\w*)\(\w+ \*testing\.T\)|\s*(?:def |define_method\(")(test_\w+))`)
	onEach   = regexp.MustCompile(`(?m)^ *test_on_each\("([^"#]+)`) // Ruby's, with spaces for underscores
)

// missingTests are those that a page names and that are not there.
func missingTests(page string) (missing []string, err error) {
	for _, found := range named.FindAllStringSubmatch(page, -1) {
		tests, err := testsOf(found[1])
		if err != nil {
			return nil, err
		}
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(found[2], "…", ".*") + "$")
		if !slices.ContainsFunc(tests, pattern.MatchString) {
			missing = append(missing, found[0])
		}
	}
	return missing, nil
}

// unproved are a table's rows without a test.
func unproved(page string) (rows []string) {
	for line := range strings.Lines(page) {
		cells := strings.Split(line, " | ")
		head := strings.HasPrefix(line, "| ---") || len(cells) < 3 || strings.TrimSpace(cells[len(cells)-1]) == "test |"
		if strings.HasPrefix(line, "|") && !head && !named.MatchString(cells[len(cells)-1]) {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	return rows
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every test that the table of troubles names exists, and every trouble has one.
func TestCasesNameTests(t *testing.T) {
	page := read(t, "docs/cases.md")
	if n := len(named.FindAllString(page, -1)); n < 50 {
		t.Errorf("only %d tests are named", n)
	}
	for _, row := range unproved(page) {
		t.Errorf("no test is named: %s", row)
	}
	for name, text := range pages(t) {
		missing, err := missingTests(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range missing {
			t.Errorf("%s names %s, which is not there", name, test)
		}
	}
}

// The control: made-up pages that name what is not there.
func TestCasesNameTestsControl(t *testing.T) {
	for page, want := range map[string]int{
		"`internal/docs:TestCasesNameTests`":         0,
		"`internal/docs:TestCases…`":                 0,
		"`internal/docs:TestNothing`":                1,
		"`internal/docs:testsOf`":                    0, // no name of a test at all
		"`internal/imports:TestCasesNameTests`":      1, // in another folder
		"`no/such/folder:TestCasesNameTests`":        1,
		"`TestCasesNameTests`":                       1, // the root package's
		"`.:TestOneActs`, `TestOneActs`":             0,
		"`.:TestOneActs`, `.:TestNobody`, `TestNo…`": 2,
	} {
		missing, err := missingTests(page)
		if err != nil || len(missing) != want {
			t.Errorf("%s: %q are missing, want %d; %v", page, missing, want, err)
		}
	}
	const table = "| kind of trouble | right outcome | test |\n| --- | --- | --- |\n| a | b | %s |\n"
	for cell, want := range map[string]int{"`.:TestOneActs`": 0, "": 1, "see below": 1} {
		if rows := unproved(fmt.Sprintf(table, cell)); len(rows) != want {
			t.Errorf("%q: %q", cell, rows)
		}
	}
}
