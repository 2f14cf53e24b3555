//go:build !linux

package process

func becomeSubreaper() bool { return false }
