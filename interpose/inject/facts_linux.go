package inject

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func fileFacts(path string) (FileFacts, error) {
	info, err := os.Stat(path)
	if err != nil {
		return FileFacts{}, err
	}
	facts := FileFacts{Mode: info.Mode()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		facts.UID, facts.GID = int(stat.Uid), int(stat.Gid)
	}
	size, err := unix.Getxattr(path, "security.capability", nil)
	facts.Capabilities = err == nil && size > 0
	return facts, nil
}

func describeProcessor(*Host) {}
