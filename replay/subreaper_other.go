//go:build !linux

package replay

func becomeSubreaper() bool { return false }
