package jobfile

import "strings"

// maxNesting is far deeper than any settings file.
const maxNesting = 100

// nestsTooDeep looks at a text before the YAML reader does, whose memory grows
// with the square of the depth: a file of nothing but brackets took all there
// was. Brackets within quotes count too, which does no harm at this depth.
func nestsTooDeep(text string) bool {
	depth := 0
	for line := range strings.Lines(text) {
		start := line[:len(line)-len(strings.TrimLeft(line, " -?:"))]
		if strings.Count(start, "- ")+strings.Count(start, "? ")+strings.Count(start, ": ") > maxNesting {
			return true
		}
		for i := range len(line) {
			switch line[i] {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(0, depth-1)
			}
			if depth > maxNesting {
				return true
			}
		}
	}
	return false
}
