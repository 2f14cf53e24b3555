package note

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

// pageTemplate escapes everything; a line's spans are put together by the template itself.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"isCode":   func(s span) bool { return s.style == code },
	"isStrong": func(s span) bool { return s.style == strong },
	"text":     func(s span) string { return s.text },
	"plain":    plainText,
}).Parse(pageText))

// WriteHTML writes the page as one file that needs no other, made for one sheet of A4.
func (n Note) WriteHTML(out io.Writer) error {
	p := n.page()
	return pageTemplate.Execute(out, map[string]any{
		"Title": p.title, "Origin": p.origin, "Shown": string(p.shown), "Verdict": p.verdict, "Reasons": p.reasons,
		"Sections": sectionsOf(p.sections), "Checks": p.checks, "After": sectionsOf(p.after), "Sign": signsOf(p.sign), "Reviewer": p.reviewer, "Footer": p.footer,
		"Size": sizeOf(p),
	})
}

type htmlSection struct {
	Title string
	Lines []line
}

func sectionsOf(sections []section) (list []htmlSection) {
	for _, s := range sections {
		list = append(list, htmlSection{s.title, s.lines})
	}
	return list
}

type htmlSigned struct {
	What  string
	Value line
}

func signsOf(sign []signed) (list []htmlSigned) {
	for _, s := range sign {
		list = append(list, htmlSigned{s.what, s.value})
	}
	return list
}

func plainText(l line) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.text)
	}
	return b.String()
}
