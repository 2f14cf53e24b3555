package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/replay/judge"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"svg": drawSVG, "join": strings.Join, "inc": func(n int) int { return n + 1 },
}).Parse(pageText))

// htmlPage is what the template shows.
type htmlPage struct {
	Report
	Origin    string
	Sentences []string
	Limit     string
	Versions  []string
	Rows      []htmlRow
	LeaseText string
}

// htmlRow is a case, its versions side by side.
type htmlRow struct {
	Label    string
	What, OK string
	Anchor   string
	Cells    []htmlCell
	Open     bool // some version did not stand it
}

type htmlCell struct {
	Version string
	Result  judge.Result
	Text    string
	Class   string
	Drawn   bool
	Picture picture
}

// WriteHTML writes the report with a picture of each case that ran, in one file that
// needs no network: histories are by version/case, as a replay's outcome has them.
func WriteHTML(w io.Writer, r Report, histories map[string][]judge.Event) error {
	p := htmlPage{
		Report: r, Origin: origin(r), Limit: Limit, Versions: Versions(r.Results), LeaseText: lease(r).String(),
	}
	for _, v := range p.Versions {
		p.Sentences = append(p.Sentences, sentence(r, v))
		if text := Repeats(r.Results, v); text != "" {
			p.Sentences = append(p.Sentences, text)
		}
	}
	for _, row := range rows(r.Results, p.Versions) {
		p.Rows = append(p.Rows, htmlRowOf(r, row.cells[0], p.Versions, histories))
	}
	return page.Execute(w, p)
}

func htmlRowOf(r Report, label string, versions []string, histories map[string][]judge.Event) htmlRow {
	out := htmlRow{Label: label, Anchor: "case-" + strings.ReplaceAll(label, "/", "-")}
	for _, v := range versions {
		c := htmlCell{Version: v}
		for _, result := range r.Results {
			if result.Version != v || result.Label() != label {
				continue
			}
			out.What, out.OK = result.What, result.OK
			c.Result, c.Text, c.Class = result, cell(result), outcomeClass(result)
			out.Open = out.Open || c.Class == "bad" || c.Class == "unknown"
			if events := histories[v+"/"+label]; len(events) > 0 {
				c.Picture, c.Drawn = pictureOf(result, events), true
			}
		}
		out.Cells = append(out.Cells, c)
	}
	return out
}

func outcomeClass(r judge.Result) string {
	switch r.Verdict.Verdict {
	case judge.OK:
		return "ok"
	case judge.Violation:
		return "bad"
	case judge.Unknown:
		return "unknown"
	}
	return "none"
}

// The measures of a picture, in pixels.
const (
	laneWidth = 88
	rowHeight = 26
	headRoom  = 34
	textWidth = 300
)

// drawSVG is safe by hand: every text passes template.HTMLEscapeString, and all else are
// numbers and constants.
func drawSVG(p picture, title string) template.HTML {
	width, height := len(p.Lanes)*laneWidth+textWidth, headRoom+(len(p.Rows)+1)*rowHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg role="img" aria-label="%s" viewBox="0 0 %d %d" width="%d">`, esc(title), width, height, width)
	fmt.Fprintf(&b, "<title>%s</title>", esc(title))
	for i, name := range p.Lanes {
		fmt.Fprintf(&b, `<text class="lane" x="%d" y="16">%s</text><line class="lane" x1="%d" y1="24" x2="%d" y2="%d"/>`, laneX(i), esc(name), laneX(i), laneX(i), height)
	}
	for i, r := range p.Rows {
		drawRow(&b, r, headRoom+(i+1)*rowHeight-10, len(p.Lanes))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // see above
}

func laneX(i int) int { return i*laneWidth + laneWidth/2 }

func esc(text string) string { return template.HTMLEscapeString(text) }

func drawRow(b *strings.Builder, r pictureRow, y, lanes int) {
	class := string(r.Kind)
	if r.Fault {
		class += " fault"
	}
	fmt.Fprintf(b, `<g class="%s">`, class)
	switch r.Kind {
	case arrow:
		from, to := laneX(r.From), laneX(r.To)
		head := 7
		if to > from {
			head = -head
		}
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d"/><path d="M%d %dl%d -4v8z"/>`, from, y, to, y, to, y, head)
	case mark:
		fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="4"/>`, laneX(r.From), y)
	case across:
		fmt.Fprintf(b, `<line x1="4" y1="%d" x2="%d" y2="%d"/>`, y, lanes*laneWidth-4, y)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text></g>`, lanes*laneWidth+8, y+4, esc(r.Text))
}
