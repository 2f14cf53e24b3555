package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/replay"
)

// Progress shows a running replay: on a terminal in one line that is written over,
// elsewhere in a line for each case that has ended.
type Progress struct {
	W        io.Writer
	Terminal bool
	// Total is how many cases there are.
	Total int

	ended int
	shown int // the length of the line that is there
}

// Show takes in what the replay says.
func (p *Progress) Show(e replay.Progress) {
	switch {
	case e.Note != "":
		p.Say(visible.Line(e.Note))
	case e.Building != "":
		p.overwrite(fmt.Sprintf("building %s", e.Building))
	case e.Result != nil:
		p.ended++
		if !p.Terminal {
			fmt.Fprintf(p.W, "%d of %d  %s/%s: %s\n", p.ended, p.Total, e.Result.Version, e.Result.Label(), cell(*e.Result))
		}
	case e.Planned != nil:
		line := fmt.Sprintf("%d of %d, %d to go  %s/%s", p.ended+1, p.Total, p.Total-p.ended-1, e.Planned.Version, e.Planned.Label())
		if e.Planned.Races {
			line += fmt.Sprintf("  %d of %d runs", e.Done, e.Planned.Runs)
		}
		if e.Of > 0 {
			line += fmt.Sprintf("  %d of %d places", e.Done, e.Of)
		}
		p.overwrite(line)
	}
}

// Say leaves a sentence above what is shown; none where it is empty.
func (p *Progress) Say(sentence string) {
	if sentence != "" {
		p.overwrite("")
		fmt.Fprintln(p.W, sentence)
	}
}

// End clears the line.
func (p *Progress) End() { p.overwrite("") }

func (p *Progress) overwrite(line string) {
	if !p.Terminal {
		return
	}
	fmt.Fprintf(p.W, "\r%s\r%s", strings.Repeat(" ", p.shown), line)
	p.shown = len(line)
}
