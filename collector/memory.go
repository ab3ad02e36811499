package collector

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// A mapping is the shared memory of a traced process, mapped into the collector.
type mapping struct {
	wire.Region
	memory []byte
}

// mapRegion maps the shared memory behind a file descriptor and checks its header. The caller still has to close fd.
func mapRegion(fd int) (m mapping, err error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return m, fmt.Errorf("look at the shared memory: %w", err)
	}
	if stat.Size < wire.RegionSize { // macOS rounds up to its page size
		return m, fmt.Errorf("the shared memory has %d bytes, not the %d of wire version %d", stat.Size,
			wire.RegionSize, wire.Version)
	}
	m.memory, err = unix.Mmap(fd, 0, wire.RegionSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return m, fmt.Errorf("map the shared memory: %w", err)
	}
	err = guard(func() (err error) {
		m.Region, err = wire.OpenRegion(m.memory)
		return err
	})
	if err != nil {
		m.unmap()
	}
	return m, err
}

func (m *mapping) unmap() {
	if m.memory != nil {
		unix.Munmap(m.memory)
		m.memory = nil
	}
}

// guard runs a function that reads or writes a mapping. Other processes can truncate the file behind it. An access
// then raises SIGBUS, which guard turns into an error; otherwise it would crash the collector.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(interface{ Addr() uintptr })
			if _, isRuntime := r.(runtime.Error); !ok || !isRuntime {
				panic(r)
			}
			err = fmt.Errorf("the shared memory was truncated while it was in use (fault at %#x)", fault.Addr())
		}
	}()
	return f()
}
