package note

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the page for a pull request.
func (n Note) WriteMarkdown(out io.Writer) error {
	p := n.page()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n> %s\n", inMarkdown(p.title), inMarkdown(p.origin), inMarkdown(p.verdict))
	for _, l := range p.reasons {
		fmt.Fprintf(&b, "> - %s\n", inMarkdown(l))
	}
	writeSections(&b, p.sections)
	b.WriteString("\n## What was shown\n\n")
	for i, row := range p.checks {
		cells := make([]string, len(row))
		for c, text := range row {
			cells[c] = inMarkdown(words(text))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	writeSections(&b, p.after)
	b.WriteString("\n## To sign\n\n")
	if len(p.sign) == 0 {
		b.WriteString("Nothing yet: see the top of the page.\n")
	} else {
		b.WriteString("| confirmed | | by whom | when |\n|---|---|---|---|\n")
		for _, s := range p.sign {
			fmt.Fprintf(&b, "| %s | %s | | |\n", s.what, inMarkdown(s.value))
		}
		fmt.Fprintf(&b, "| Merged after sign-off | | | |\n\n%s\n\nName: ____________________ Date: ____________\n", inMarkdown(p.reviewer))
	}
	fmt.Fprintf(&b, "\n%s\n", inMarkdown(p.footer))
	_, err := io.WriteString(out, b.String())
	return err
}

func writeSections(b *strings.Builder, sections []section) {
	for _, s := range sections {
		fmt.Fprintf(b, "\n## %s\n\n", s.title)
		for _, l := range s.lines {
			fmt.Fprintf(b, "- %s\n", strings.TrimSpace(inMarkdown(l)))
		}
	}
}

func inMarkdown(l line) string {
	var b strings.Builder
	for _, s := range l {
		switch s.style {
		case code:
			b.WriteString(codeInMarkdown(s.text))
		case strong:
			b.WriteString("**" + escapeMarkdown(s.text) + "**")
		default:
			b.WriteString(escapeMarkdown(s.text))
		}
	}
	return b.String()
}

// codeInMarkdown fences a text with more backquotes than it has. A bar would end the
// cell of a table, also within code.
func codeInMarkdown(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = strings.ReplaceAll(text, "|", `\|`)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`,
)

// escapeMarkdown also takes the meaning from an address that would become a link.
func escapeMarkdown(text string) string {
	return strings.NewReplacer("://", ":&#47;/", "www.", "www&#46;", "@", "&#64;").Replace(markdownEscapes.Replace(text))
}
