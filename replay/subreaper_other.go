//go:build !linux

package replay

// Nothing is forked where no orphan is adopted.
const (
	callPrctl = 0
	callDup3  = 0
)

func becomeSubreaper() bool { return false }
