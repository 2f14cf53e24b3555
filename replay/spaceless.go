package replay

import (
	"strings"

	"github.com/twiceproof/twiceproof/jobfile"
	"github.com/twiceproof/twiceproof/replay/judge"
)

// losesSpaces: the effect names its operation at the end of a header, which has no space
// there. Counter-example: "(.+)" in quotes, as a mail's pattern.
func losesSpaces(o jobfile.OutsideService) bool {
	if in := o.Mail.Operation; in != "" {
		end := strings.TrimSuffix(o.Mail.Pattern, "$")
		closed := end != "" && (!strings.HasSuffix(end, ")") || strings.HasSuffix(end, `\)`))
		return in != "body" && !closed
	}
	return strings.HasPrefix(o.Operation, "header.")
}

// what happens in the case; where the effect cannot name an operation with a space at its end
// there is none.
func (c Case) what(s setting) string {
	if c.Name == judge.TwoOperations && s.spaceless {
		return "operations whose keys differ in one character, in case and in Unicode form; none in a trailing space, which is lost at the end of the header that names the operation"
	}
	return c.What
}
