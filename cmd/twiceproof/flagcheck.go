package main

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// counted counts how often a flag is given: the last one alone would count.
type counted struct {
	pflag.Value
	times int
}

func (c *counted) Set(text string) error {
	c.times++
	return c.Value.Set(text)
}

// countFlags has soundFlags see what is given twice.
func countFlags(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); kind == "string" || kind == "int" {
			f.Value = &counted{Value: f.Value}
		}
	})
}

// soundFlags refuses a flag that is given twice or with nothing, as an unset variable of
// a shell leaves it: it would be passed over without a word.
func soundFlags(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		c, once := f.Value.(*counted)
		list, several := f.Value.(pflag.SliceValue)
		switch {
		case once && c.times > 1:
			err = &hinted.Error{What: "--" + f.Name + " is given twice", Hint: "give it once"}
		case once && c.String() == "", several && (len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")):
			err = &hinted.Error{What: "--" + f.Name + " is given with nothing", Hint: "name what is meant, or leave it out; is a variable not set?"}
		}
	})
	return err
}

// isGiven: a flag that is switched off is not.
func isGiven(fs *pflag.FlagSet, name string) bool {
	f := fs.Lookup(name)
	return f != nil && f.Changed && (f.Value.Type() != "bool" || f.Value.String() == "true")
}

// aloneWith refuses every flag that a mode would pass over.
func aloneWith(fs *pflag.FlagSet, mode, why string, also ...string) (err error) {
	if !isGiven(fs, mode) {
		return nil
	}
	fs.Visit(func(f *pflag.Flag) {
		if f.Name != mode && !slices.Contains(also, f.Name) && isGiven(fs, f.Name) {
			err = &hinted.Error{What: "--" + f.Name + " does not go with --" + mode + ", which " + why, Hint: "leave one of them out"}
		}
	})
	return err
}

// needsOne refuses a flag that would be passed over without one of others.
func needsOne(fs *pflag.FlagSet, name string, others ...string) error {
	if !isGiven(fs, name) || slices.ContainsFunc(others, func(other string) bool { return isGiven(fs, other) }) {
		return nil
	}
	return &hinted.Error{What: "--" + name + " goes with --" + others[0] + ", which is not given", Hint: "give --" + others[0] + ", or leave it out"}
}

// excludeEachOther refuses two of the flags, of which one would be passed over.
func excludeEachOther(fs *pflag.FlagSet, names ...string) error {
	given := slices.DeleteFunc(names, func(name string) bool { return !isGiven(fs, name) })
	if len(given) < 2 {
		return nil
	}
	return &hinted.Error{What: "--" + given[0] + " and --" + given[1] + " exclude each other", Hint: "give one of them"}
}
