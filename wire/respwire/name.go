package respwire

import (
	"crypto/sha1" // it is what Redis calls a script by
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// DefaultName is how a step is called.
func DefaultName(said Said) string {
	if said.Delivery {
		from, _ := said.Taken()
		return wire.Clip("Deliver " + wire.MaskName(string(from)))
	}
	if !said.Transaction {
		return wire.Clip(said.Commands[0].title())
	}
	var all []string
	for _, c := range said.Commands {
		all = append(all, c.title())
	}
	return wire.Clip(wire.Join(slices.Concat([]string{"MULTI"}, all, []string{"EXEC"})))
}

// title is the command without its values.
func (c Command) title() string {
	parts := []string{c.verb()}
	for _, k := range c.Keys() {
		parts = append(parts, wire.MaskName(string(k)))
	}
	if polls[c.Name] {
		slices.Sort(parts[1:])
	}
	return strings.Join(parts, " ")
}

// verb is the command with its subcommand or its script. What is no word is no name:
// it could be anything.
func (c Command) verb() string {
	name := c.Name
	if !commandName.MatchString(name) {
		return "unknown command"
	}
	switch {
	case containers[name] && len(c.Args) > 0 && commandName.MatchString(c.upper(0)):
		return name + " " + c.upper(0)
	case strings.HasPrefix(name, "EVALSHA") && len(c.Args) > 0:
		return name + " " + maskSHA(strings.ToLower(string(c.Args[0])))
	case strings.HasPrefix(name, "EVAL") && len(c.Args) > 0:
		sum := sha1.Sum(c.Args[0])
		return name + " " + maskSHA(hex.EncodeToString(sum[:]))
	case strings.HasPrefix(name, "FCALL") && len(c.Args) > 0:
		return name + " " + wire.MaskName(string(c.Args[0]))
	}
	return name
}

var (
	commandName = regexp.MustCompile(`^[A-Z][A-Z0-9_.\-]{0,40}$`)
	shaForm     = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

func maskSHA(sha string) string {
	if shaForm.MatchString(sha) {
		return sha[:8]
	}
	return wire.Mask
}
