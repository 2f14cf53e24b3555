package respwire

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/twiceproof/twiceproof/wire"
)

// Command is what a worker has said.
type Command struct {
	// Name is in capitals, such as "ZADD".
	Name string
	// Args are the arguments. Those of AUTH, HELLO, ACL, CONFIG and MIGRATE, which may be
	// passwords, are left out.
	Args [][]byte
	// Cut says that an argument is not whole, or not there, because the command is longer
	// than what is kept of it.
	Cut bool
}

// secretive commands may have a password among their arguments.
var secretive = words("AUTH HELLO ACL CONFIG MIGRATE")

func words(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

// upper is an argument as a word of the protocol.
func (c Command) upper(i int) string {
	if i >= len(c.Args) {
		return ""
	}
	return strings.ToUpper(string(c.Args[i]))
}

// command reads one command whole. Without a name it is nothing, and is not answered.
func (r *reader) command() (Command, error) {
	r.room = maxCopied
	first, err := r.Peek(1)
	if err != nil {
		return Command{}, err
	}
	if first[0] != array {
		return r.inline()
	}
	line, err := r.line()
	if err != nil {
		return Command{}, err
	}
	n, err := strconv.Atoi(string(line[1:]))
	if err != nil || n > maxElements {
		return Command{}, wire.Wrong("a command begins with %.40q", line)
	}
	var c Command
	for i := range n {
		if err := r.argument(&c, i); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (r *reader) argument(c *Command, i int) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(bytes.TrimPrefix(line, []byte{bulk})))
	if err != nil || n < 0 || line[0] != bulk {
		return wire.Wrong("an argument begins with %.40q", line)
	}
	r.room -= elementSize
	fits := r.room >= 0
	text, cut, err := r.text(n)
	if err != nil {
		return err
	}
	switch {
	case i == 0:
		c.Name, c.Cut = strings.ToUpper(string(text)), cut
	case !fits:
		c.Cut = true
	default:
		c.Args, c.Cut = append(c.Args, text), c.Cut || cut
	}
	return nil
}

// inline reads a command that is typed, with its arguments in quotes or not.
func (r *reader) inline() (Command, error) {
	line, err := r.line()
	if err != nil {
		return Command{}, err
	}
	args, ok := unquoted(line)
	if !ok {
		return Command{}, wire.Wrong("the quotes of an inline command do not match")
	}
	if len(args) == 0 {
		return Command{}, nil
	}
	return Command{Name: strings.ToUpper(string(args[0])), Args: args[1:]}, nil
}
