package main

import (
	"cmp"

	"github.com/spf13/pflag"
)

// checkFitFlags refuses every combination in which one of the flags would be passed over.
func checkFitFlags(fs *pflag.FlagSet) error {
	return cmp.Or(aloneWith(fs, "print-answers", "asks nothing"), excludeEachOther(fs, "json", "markdown"), excludeEachOther(fs, "answers", "plain"))
}
