//go:build !linux

package replay

func onLinux(string, string) {}
