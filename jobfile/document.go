package jobfile

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// rootOf reads the one YAML document of a file, down to its nodes.
func rootOf(name string, data []byte) (ast.MapNode, *Error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if e := checkBytes(name, data); e != nil {
		return nil, e
	}
	file, err := parseYAML(data)
	if err != nil {
		return nil, syntaxError(name, err)
	}
	body, e := onlyDocument(name, file)
	if e != nil {
		return nil, e
	}
	root, ok := body.(ast.MapNode)
	if !ok {
		return nil, errorAt(name, body, "", "the file must start with names, but "+kindOf(body)+" stands here", "start with version: 1")
	}
	return root, nil
}

func checkBytes(name string, data []byte) *Error {
	if len(data) > maxBytes {
		return &Error{File: name, What: "is larger than 128 KiB, too large for a settings file", Hint: "check the path"}
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) || bytes.IndexByte(line, 0) >= 0 {
			return &Error{File: name, Line: i + 1, What: "is not UTF-8 text", Hint: "save the file as UTF-8"}
		}
	}
	if nestsTooDeep(string(data)) {
		return &Error{File: name, What: "is nested more than 100 deep", Hint: "check the path, and close every bracket"}
	}
	return nil
}

var errPanic = errors.New("the text cannot be read as YAML")

// parseYAML turns a panic of the YAML reader into an error: what a person
// typed must never end the program.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return parser.ParseBytes(data, 0)
}

var definedTwice = regexp.MustCompile(`^mapping key "(.*)" already defined at \[(\d+):\d+\]$`)

func syntaxError(name string, err error) *Error {
	e := &Error{File: name, What: "not sound YAML: " + err.Error(), Hint: "indent with spaces, and quote a text that has : # { } [ ] or a comma"}
	var located yaml.Error
	if !errors.As(err, &located) {
		return e
	}
	message := located.GetMessage()
	e.What = "not sound YAML: " + message
	if token := located.GetToken(); token != nil && token.Position != nil {
		e.Line, e.Column = token.Position.Line, token.Position.Column
	}
	switch {
	case definedTwice.MatchString(message):
		e.What, e.Hint = definedTwice.ReplaceAllString(message, "field $1 stands here again, first on line $2"), "keep one of the two"
	case strings.Contains(message, "must be specified"):
		e.Hint = `close the bracket; quote a text that has brackets or braces, such as ["args[0]"] or "{out}/new"`
	case strings.Contains(message, "'\t'"):
		e.What, e.Hint = "not sound YAML: a tab stands in the indentation", "indent with spaces"
	}
	return e
}

func onlyDocument(name string, file *ast.File) (ast.Node, *Error) {
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.DirectiveType:
		case body != nil:
			return nil, errorAt(name, doc.Body, "", "a second document stands here", "write one document; remove the line ---")
		default:
			body = doc.Body
		}
	}
	if body == nil {
		return nil, &Error{File: name, What: "the file is empty", Hint: "start with version: 1"}
	}
	return body, nil
}

func errorAt(name string, n ast.Node, field, what, hint string) *Error {
	at := positionOf(n)
	return &Error{File: name, Line: at.line, Column: at.column, Field: field, What: what, Hint: hint}
}

type position struct{ line, column int }

func positionOf(n ast.Node) position {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return position{}
	}
	p := n.GetToken().Position
	return position{p.Line, p.Column}
}

// kindOf names what stands in a place, in words for people.
func kindOf(n ast.Node) string {
	switch n.Type() {
	case ast.StringType, ast.LiteralType:
		return "a text"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "true or false"
	case ast.SequenceType:
		return "a list"
	case ast.MappingType, ast.MappingValueType:
		return "names with values"
	case ast.NullType:
		return "nothing"
	}
	return "something else"
}
