package main

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/twiceproof/twiceproof/internal/hinted"
)

// flagError says what a flag takes, where it was given something else.
func flagError(cmd *cobra.Command, err error) error {
	wrong := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &wrong) {
		return &usageError{err: err, command: cmd.CommandPath()}
	}
	f, given := wrong.GetFlag(), "is given "+strconv.Quote(wrong.GetValue())
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return &hinted.Error{What: "--" + f.Name + " " + given + ": it is switched on or off", Hint: "write --" + f.Name + " alone, or leave it out"}
	case errors.Is(err, strconv.ErrRange):
		return &hinted.Error{What: "--" + f.Name + " " + given + ": that is too large or too small a number", Hint: "write one such as " + f.DefValue}
	case kind == "int":
		return &hinted.Error{What: "--" + f.Name + " " + given + ": that is no whole number", Hint: "write one such as " + f.DefValue}
	}
	return &usageError{err: err, command: cmd.CommandPath()}
}

var (
	notRead  = regexp.MustCompile(`strconv\.\w+: parsing ("(?:[^"\\]|\\.)*"): (invalid syntax|value out of range)`)
	ofNumber = strings.NewReplacer("invalid syntax", "is no number", "value out of range", "is too large or too small a number")
)

// numbersTold has the words of a library for what it could not read as a number, such as a
// connect_timeout in an address, make sense to whoever does not know its code.
func numbersTold(text string) string {
	return notRead.ReplaceAllStringFunc(text, func(said string) string {
		parts := notRead.FindStringSubmatch(said)
		return parts[1] + " " + ofNumber.Replace(parts[2])
	})
}
