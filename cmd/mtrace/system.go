package main

import (
	"bytes"
	"runtime"

	"golang.org/x/sys/unix"
)

// systemName is the operating system with its release, as uname has it.
func systemName() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return runtime.GOOS
	}
	return cString(u.Sysname[:]) + " " + cString(u.Release[:])
}

// machineName is the kind of processor, as uname has it.
func machineName() string {
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
