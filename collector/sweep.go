package collector

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// sweep removes the folders in parent whose creator has ended, most likely killed. Such a folder belongs to this
// user, has a name that begins with prefix, and contains a lock file that no process locks. sweep follows no symbolic
// link and leaves every other folder alone, because parent is shared with other programs.
func sweep(parent, prefix string, remove remover) {
	folder, err := os.Open(parent)
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			sweepFolder(filepath.Join(parent, name), remove)
		}
	}
}

// A remover removes an abandoned folder. fd is the open folder, names are the files in it, and lock is the name of
// its lock file.
type remover func(fd int, path string, names []string, lock string)

func sweepFolder(path string, remove remover) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	dir := os.NewFile(uintptr(fd), path)
	defer dir.Close()
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil || int(stat.Uid) != os.Getuid() || stat.Mode&0o066 != 0 {
		return
	}
	names, _ := dir.Readdirnames(-1)
	at := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, lockEnding) })
	if at < 0 {
		return
	}
	lock, err := unix.Openat(fd, names[at], unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(lock)
	if unix.Flock(lock, unix.LOCK_EX|unix.LOCK_NB) != nil {
		return
	}
	remove(fd, path, names, names[at])
}

// removeEndpointFolder removes the files that a collector creates, and then the folder, unless it contains other
// files.
func removeEndpointFolder(fd int, path string, names []string, lock string) {
	socket := strings.TrimSuffix(lock, lockEnding)
	for _, name := range names {
		if name == socket || name == boundName || strings.HasPrefix(name, socket+noticeEnding) {
			unix.Unlinkat(fd, name, 0)
		}
	}
	unix.Unlinkat(fd, lock, 0)
	unix.Unlinkat(unix.AT_FDCWD, path, unix.AT_REMOVEDIR) // fails if the folder contains anything else
}
