package imports

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// file is one parsed source file; name is its path below the module.
type file struct {
	name string
	fset *token.FileSet
	ast  *ast.File
}

// complaint is one use that breaks a rule.
type complaint struct {
	rule, file string
	line       int
	what       string
}

func (c complaint) String() string {
	return fmt.Sprintf("%s: %s:%d uses %s", c.rule, c.file, c.line, c.what)
}

// key is the complaint's name in the list of exceptions.
func (c complaint) key() string { return c.file + " " + c.what }

// allowed are the exceptions, each with its reason.
var allowed = map[string]string{
	"internal/testdb/postgres.go os.Getenv": "imported by tests only; TWICEPROOF_SKIP_SERVERS is a tester's switch",
}

// outside are the uses of the outside world that only cmd/twiceproof makes: it
// alone reads flags and environment, prints and exits. "*" is any name.
var outside = map[string][]string{
	"os": {
		"Args", "Getenv", "LookupEnv", "Environ", "Setenv", "Unsetenv", "Clearenv", "ExpandEnv",
		"Exit", "Stdin", "Stdout", "Stderr",
	},
	"fmt":                    {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"log":                    {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "Default"},
	"syscall":                {"Exit", "Getenv", "Environ", "Setenv"},
	"flag":                   {"*"},
	"github.com/spf13/cobra": {"*"},
	"github.com/spf13/pflag": {"*"},
}

// deciding are the files that decide. They take values and return values.
var deciding = []string{
	"decide.go", "sweepdecide.go", "admin/resolvedecide.go",
	"job/*.go", "replay/judge/*.go",
}

// impure are the uses that a deciding file does not make: no clock, no I/O, no
// chance. A path that ends in "/..." stands for itself and everything below.
var impure = map[string][]string{
	"time": {
		"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker",
	},
	"net":             {"Dial", "DialTimeout", "Dialer", "Listen", "ListenPacket", "LookupHost", "LookupIP", "DefaultResolver"},
	"net/http/...":    {"*"},
	"os/...":          {"*"},
	"io/fs":           {"*"},
	"syscall":         {"*"},
	"database/sql":    {"*"},
	"log/...":         {"*"},
	"math/rand/...":   {"*"},
	"crypto/rand/...": {"*"},
}

// onlyCmdTouchesTheOutside keeps flags, environment, printing and exiting in
// cmd. Examples, controls and the report of the benchmarks are programs of their own;
// scripts are tools.
func onlyCmdTouchesTheOutside(f file) []complaint {
	if in(f.name, "cmd", "examples", "controls", "scripts", "bench/report", "bench/replay", "internal/golden", "wire/wiretest", "lab/internal/process/processtest") || strings.HasSuffix(f.name, "_test.go") {
		return nil
	}
	return f.uses("only cmd reads flags and environment, prints and exits", outside)
}

// decidingIsPure keeps clock, I/O, chance and goroutines out of what decides.
func decidingIsPure(f file) []complaint {
	if strings.HasSuffix(f.name, "_test.go") || !slices.ContainsFunc(deciding, f.matches) {
		return nil
	}
	const rule = "deciding is pure"
	found := f.uses(rule, impure)
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if statement, ok := n.(*ast.GoStmt); ok {
			found = append(found, f.complain(rule, statement, "a goroutine"))
		}
		return true
	})
	return found
}

func (f file) matches(pattern string) bool {
	ok, err := path.Match(pattern, f.name)
	return ok || err != nil // a bad pattern must not let everything pass
}

func (f file) complain(rule string, n ast.Node, what string) complaint {
	return complaint{rule, f.name, f.fset.Position(n.Pos()).Line, what}
}

// uses complains of each use of a forbidden name, under whatever name its
// package is imported. Dot imports would hide a use and are refused.
func (f file) uses(rule string, forbidden map[string][]string) []complaint {
	var found []complaint
	local := map[string]string{} // local name -> import path
	for _, spec := range f.ast.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
		if names(forbidden, imported) == nil {
			continue
		}
		name := packageName(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			found = append(found, f.complain(rule, spec, "a dot import of "+imported))
		}
		local[name] = imported
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		from, name := usedName(n, local)
		if refused := names(forbidden, from); slices.Contains(refused, name) || slices.Contains(refused, "*") {
			found = append(found, f.complain(rule, n, packageName(from)+"."+name))
		}
		return true
	})
	return found
}

// usedName is the package and the name in it that a node stands for. The
// built-in print and println count as fmt's, for they write to stderr.
func usedName(n ast.Node, local map[string]string) (from, name string) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok {
			return local[x.Name], n.Sel.Name
		}
	case *ast.CallExpr:
		switch called, _ := n.Fun.(*ast.Ident); {
		case called == nil:
		case called.Name == "print":
			return "fmt", "Print"
		case called.Name == "println":
			return "fmt", "Println"
		}
	}
	return "", ""
}

// packageName is what an import path is called where nothing else is said:
// its last element that is not a version.
func packageName(imported string) string {
	last := path.Base(imported)
	if digits, ok := strings.CutPrefix(last, "v"); ok {
		if _, err := strconv.Atoi(digits); err == nil {
			return path.Base(path.Dir(imported))
		}
	}
	return last
}

// names are the forbidden names of a package, by its path or one above it.
func names(forbidden map[string][]string, imported string) []string {
	if exact, ok := forbidden[imported]; ok {
		return exact
	}
	for above := imported; above != "." && above != "/"; above = path.Dir(above) {
		if all, ok := forbidden[above+"/..."]; ok {
			return all
		}
	}
	return nil
}
