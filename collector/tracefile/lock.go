package tracefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// MarkWritten marks an open file as being written by this process, with a lock. The system removes the mark when the
// file is closed or the process ends, for whatever reason. On a file system without locks it does nothing.
func MarkWritten(f *os.File) { unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// IsWritten reports whether a process has marked the file with MarkWritten. On a file system without locks it returns
// true, because it cannot tell.
func IsWritten(f *os.File) bool {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		unix.Flock(int(f.Fd()), unix.LOCK_UN)
		return false
	}
	return true
}
