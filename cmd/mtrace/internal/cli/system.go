package cli

import (
	"bytes"
	"runtime"

	"golang.org/x/sys/unix"
)

// SystemName is the operating system with its release, as uname has it.
func SystemName() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return runtime.GOOS
	}
	return cString(u.Sysname[:]) + " " + cString(u.Release[:])
}

// MachineName is the kind of processor, as uname has it.
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
