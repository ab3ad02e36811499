package tracefile

import (
	"os"

	"golang.org/x/sys/unix"
)

// MarkWritten marks an open file as one that this process writes. The system takes the mark away when the file is
// closed or the process ends, however it ends. A file system without locks takes no mark.
func MarkWritten(f *os.File) { unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// IsWritten says whether a process writes the file, as MarkWritten says. Where the file system has no locks nobody
// knows, and the answer is yes.
func IsWritten(f *os.File) bool {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		unix.Flock(int(f.Fd()), unix.LOCK_UN)
		return false
	}
	return true
}
