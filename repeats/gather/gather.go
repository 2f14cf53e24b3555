package gather

import (
	"hash/maphash"
	"slices"

	"github.com/twiceproof/twiceproof/repeats"
)

const (
	parts      = 64
	partBuffer = 64 << 10
	// Budget is what rows may take in memory before they go to files.
	Budget = 48 << 20
)

// Gatherer takes rows in any order, and gives them back by reference.
type Gatherer struct {
	folder    string
	budget    int
	parts     [parts]spool
	inMemory  int
	spilled   bool
	seed      maphash.Seed
	scratch   []byte
	Identical Identical
}

// Identical counts rows that were there already, word for word, and were left out.
type Identical struct {
	OtherFile int // shipped twice, or in two files of a rotation
	SameFile  int // perhaps two events that differ in no column that was exported
}

// New makes one; what does not fit into the budget goes to files in the folder.
func New(folder string, budget int) *Gatherer {
	return &Gatherer{folder: folder, budget: budget, seed: maphash.MakeSeed()}
}

// Hash is a hash of a text, never 0, that is good within this Gatherer.
func (g *Gatherer) Hash(texts ...string) uint64 {
	if len(texts) == 1 {
		return max(1, maphash.String(g.seed, texts[0]))
	}
	var h maphash.Hash
	h.SetSeed(g.seed)
	for _, text := range texts {
		_, _ = h.WriteString(text)
		_ = h.WriteByte(0xff) // in no valid UTF-8, so that ("a", "b") is not ("ab")
	}
	return max(1, h.Sum64())
}

// Add takes one row of a reference.
func (g *Gatherer) Add(reference string, r Row) error {
	g.scratch = repeats.AppendFold(g.scratch[:0], reference)
	hash := maphash.Bytes(g.seed, g.scratch)
	part := &g.parts[hash>>58]
	before := len(part.buffer)
	if most := len(reference) + mostBeside; cap(part.buffer)-before < most {
		part.buffer = slices.Grow(part.buffer, max(most, before)) // append grows by a quarter, which copies each row four times
	}
	part.buffer = appendRow(part.buffer, hash, reference, r)
	if g.spilled {
		if len(part.buffer) >= partBuffer {
			return part.spill(g.folder)
		}
		return nil
	}
	if g.inMemory += len(part.buffer) - before; g.inMemory < g.budget {
		return nil
	}
	return g.spill()
}

func (g *Gatherer) spill() error {
	g.spilled = true
	for i := range g.parts {
		if err := g.parts[i].spill(g.folder); err != nil {
			return err
		}
		g.parts[i].buffer = make([]byte, 0, partBuffer+partBuffer/4)
	}
	return nil
}

// Close lets the files go.
func (g *Gatherer) Close() {
	for i := range g.parts {
		g.parts[i].close()
	}
}
