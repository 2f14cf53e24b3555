package page

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	barWidth  = 40
	lineWidth = 100
)

// Text writes the document for a terminal.
func (d Document) Text(w io.Writer) error {
	var b strings.Builder
	b.WriteString(d.Title + "\n")
	for _, s := range d.Sections {
		if s.Title != "" {
			b.WriteString("\n" + s.Title + "\n")
		}
		s.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Section) text(b *strings.Builder) {
	label := 0
	for _, bar := range s.Bars {
		label = max(label, utf8.RuneCountInString(bar.Label))
	}
	for _, bar := range s.Bars {
		fmt.Fprintf(b, "  %-*s %s %s\n", label, bar.Label, bar.drawn(), number(bar.Count))
	}
	textRows(b, s.Rows)
	for _, line := range s.Lines {
		wrapped(b, line)
	}
}

// wrapped writes a line of at most lineWidth, and what is left below it, set in.
func wrapped(b *strings.Builder, line string) {
	indent := "  " + line[:len(line)-len(strings.TrimLeft(line, " "))]
	width := 0
	for i, word := range strings.Fields(line) {
		long := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			b.WriteString(indent + word)
			width = len(indent) + long
		case width+1+long > lineWidth:
			b.WriteString("\n" + indent + "  " + word)
			width = len(indent) + 2 + long
		default:
			b.WriteString(" " + word)
			width += 1 + long
		}
	}
	b.WriteString("\n")
}

// drawn is at least a sliver where there is something.
func (bar Bar) drawn() string {
	if bar.Count == 0 {
		return ""
	}
	eighths := max(1, int(bar.Width*barWidth*8))
	return strings.Repeat("█", eighths/8) + strings.TrimSpace([]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}[eighths%8])
}

// textRows puts the cells below one another; the last ones may be empty.
func textRows(b *strings.Builder, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := " "
		for i, cell := range row {
			line += " " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// Markdown writes the document as a report to send on.
func (d Document) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Repeats: " + d.Title + "\n")
	for _, s := range d.Sections {
		if s.Title != "" {
			b.WriteString("\n## " + strings.ToUpper(s.Title[:1]) + s.Title[1:] + "\n")
		}
		b.WriteString("\n")
		if len(s.Bars) > 0 {
			b.WriteString("```\n")
			Section{Bars: s.Bars}.text(&b)
			b.WriteString("```\n")
		}
		for i, row := range s.Rows {
			b.WriteString("| " + strings.Join(row, " | ") + " |\n")
			if i == 0 {
				b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
			}
		}
		if len(s.Rows) > 0 && len(s.Lines) > 0 {
			b.WriteString("\n")
		}
		for _, line := range s.Lines {
			b.WriteString("- " + line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
