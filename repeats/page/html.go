package page

import (
	_ "embed" // the page
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var htmlPage string

var htmlTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"number":  number,
	"percent": func(width float64) float64 { return 100 * width },
	"deeper":  func(line string) bool { return strings.HasPrefix(line, "  ") },
}).Parse(htmlPage))

// HTML writes the document as one page that needs nothing else: no script, no font, no
// picture from elsewhere.
func (d Document) HTML(w io.Writer) error { return htmlTemplate.Execute(w, d) }
