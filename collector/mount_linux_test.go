package collector

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func mountSmall(dir string, size int) error {
	return unix.Mount("mtrace", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}

func unmount(dir string) { unix.Unmount(dir, 0) }
