//go:build !linux

package fork

// Nothing is forked where no orphan is adopted.
const (
	callPrctl = 0
	callDup3  = 0
)
