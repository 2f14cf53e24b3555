package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/twiceproof/twiceproof/internal/visible"
	"github.com/twiceproof/twiceproof/replay"
)

// Progress shows a running replay: on a terminal in one line that is written over,
// elsewhere in a line for each case that has ended, and now and then one for a long case.
type Progress struct {
	W        io.Writer
	Terminal bool
	// Total is how many cases there are.
	Total int

	ended int
	shown int            // the length of the line that is there
	told  map[string]int // of a case that runs: how far it was told to be
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
		p.tell(e)
		line := fmt.Sprintf("%d of %d, %d to go  %s/%s", p.ended+1, p.Total, p.Total-p.ended-1, e.Planned.Version, e.Planned.Label())
		if e.Planned.Races {
			line += fmt.Sprintf("  %d of %d runs", e.Done, e.Planned.Runs)
		}
		if e.Of > 0 {
			line += fmt.Sprintf("  %d of %s%s", e.Done, atMost(e), places(e.Of))
		}
		p.overwrite(line)
	}
}

// tell says elsewhere than on a terminal now and then how far a long case is.
func (p *Progress) tell(e replay.Progress) {
	of, what, every := e.Of, "places", 10
	if e.Planned.Races {
		of, what, every = e.Planned.Runs, "runs", 25
	}
	name := e.Planned.Name()
	if p.Terminal || e.Done == 0 || e.Done >= of || e.Done%every != 0 || p.told[name] == e.Done {
		return
	}
	if p.told == nil {
		p.told = map[string]int{}
	}
	p.told[name] = e.Done
	fmt.Fprintf(p.W, "%s: %d of %s%d %s\n", name, e.Done, atMost(e), of, what)
}

func atMost(e replay.Progress) string {
	if e.AtMost {
		return "at most "
	}
	return ""
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
