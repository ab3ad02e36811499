package handshake

import "bytes"

// executableIn reads what macOS's KERN_PROCARGS2 says of a process: the number
// of arguments, 4 bytes, then the path that was executed, ended by a zero
// byte, and more (sysctl_procargsx in bsd/kern/kern_sysctl.c of XNU). Empty
// when there is no whole path in it.
func executableIn(procargs []byte) string {
	const count = 4
	if len(procargs) <= count {
		return ""
	}
	path, _, whole := bytes.Cut(procargs[count:], []byte{0})
	if !whole {
		return ""
	}
	return string(path)
}
