package handshake

import "bytes"

// executableIn returns the executed path from the result of macOS's KERN_PROCARGS2. The result begins with the number
// of arguments in 4 bytes, then the path, ended by a zero byte (sysctl_procargsx in bsd/kern/kern_sysctl.c of XNU). It
// returns "" if the path is incomplete.
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
