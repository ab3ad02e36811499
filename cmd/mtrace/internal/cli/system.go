package cli

import (
	"bytes"
	"runtime"

	"golang.org/x/sys/unix"
)

// SystemName returns the operating system and its release, as uname reports them.
func SystemName() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return runtime.GOOS
	}
	return cString(u.Sysname[:]) + " " + cString(u.Release[:])
}

// MachineName returns the processor architecture, as uname reports it.
func MachineName() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return runtime.GOARCH
	}
	return cString(u.Machine[:])
}

func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}
