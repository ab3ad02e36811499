package wiretest

import (
	"os"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// Memory makes shared memory for a region, as the shim does.
func Memory() (*os.File, error) {
	fd, err := unix.MemfdCreate("mtrace", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "memfd")
	return file, file.Truncate(wire.RegionSize)
}
