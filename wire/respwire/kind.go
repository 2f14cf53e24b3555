package respwire

import "slices"

// kind is what a command is to the proxy.
type kind int

const (
	step       kind = iota
	nothing         // an empty line
	background      // no step, with an answer
	muting          // CLIENT REPLY
	replication
)

var kinds = map[string]kind{
	"":     nothing,
	"AUTH": background, "HELLO": background, "QUIT": background, "RESET": background, "MULTI": background,
	"SUBSCRIBE": background, "PSUBSCRIBE": background, "SSUBSCRIBE": background,
	"UNSUBSCRIBE": background, "PUNSUBSCRIBE": background, "SUNSUBSCRIBE": background, "MONITOR": background,
	"SYNC": replication, "PSYNC": replication, "REPLCONF": replication,
}

// kind follows a transaction: what is queued is no step, and EXEC is one.
func (r *request) kind(c Command) kind {
	switch {
	case c.Name == "CLIENT" && c.upper(0) == "REPLY":
		return muting
	case kinds[c.Name] == nothing, kinds[c.Name] == replication:
		return kinds[c.Name]
	case c.Name == "EXEC":
		return step
	case c.Name == "RESET":
		*r = request{}
		return background
	case c.Name == "DISCARD" && r.queueing:
		r.clear()
		return background
	case c.Name == "MULTI":
		r.queueing = true
		return background
	case r.queueing:
		r.queue(c)
		return background
	}
	return kinds[c.Name]
}

func (r *request) queue(c Command) {
	if kinds[c.Name] == background {
		return // HELLO, of which nobody is shown anything; what it is there, the server knows
	}
	if len(r.queued) == maxQueued {
		r.more = true
		return
	}
	r.queued = append(r.queued, c.shown())
}

func (r *request) clear() { r.queueing, r.queued, r.more = false, nil, false }

// said is the step that a command makes.
func (r *request) said(c Command) Said {
	if c.Name != "EXEC" || !r.queueing {
		return Said{Commands: []Command{c.shown()}}
	}
	said := Said{Commands: slices.Clone(r.queued), Transaction: true}
	if n := len(said.Commands); r.more {
		said.Commands[n-1].Cut = true
	}
	r.clear()
	return said
}

// shown is the command without what may be a password.
func (c Command) shown() Command {
	if secretive[c.Name] {
		c.Args = c.Args[:min(len(c.Args), subcommands(c.Name))]
		c.Cut = true
	}
	return c
}

func subcommands(name string) int {
	if containers[name] {
		return 1
	}
	return 0
}
