package live

import "golang.org/x/sys/unix"

// A console is a separate file descriptor of the terminal, so that the program's changes to its own standard input,
// such as making it non-blocking, do not affect it.
//
// No operation waits for longer than a tenth of a second. A write that waits in the kernel until a slow terminal has
// space may wait for ever: ^Z and similar keys discard the terminal's output buffer, and Linux does not wake waiting
// writers then (n_tty.c: isig, then pty.c: pty_flush_buffer). The table would hang in this way, with the program
// stopped and its shell waiting. It uses select because macOS does not support poll for /dev/tty.
type console struct{ fd int }

func openConsole(path string) (*console, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil && fd >= unix.FD_SETSIZE {
		unix.Close(fd)
		err = unix.EMFILE
	}
	if err != nil {
		return nil, err
	}
	return &console{fd}, nil
}

// Write writes all of b, however long the terminal takes.
func (c *console) Write(b []byte) (written int, err error) {
	for written < len(b) {
		n, err := unix.Write(c.fd, b[written:])
		switch {
		case n > 0:
			written += n
		case err == nil || err == unix.EAGAIN || err == unix.EINTR:
			c.await(nil, c.set())
		default:
			return written, err
		}
	}
	return written, nil
}

// typed waits briefly for input, and reports whether there is some. It also returns true if the terminal is gone; the
// next read then returns the error.
func (c *console) typed() bool {
	n, err := c.await(c.set(), nil)
	return n > 0 || err != nil && err != unix.EINTR
}

// set returns a set with only the console's descriptor.
func (c *console) set() *unix.FdSet {
	var set unix.FdSet
	set.Set(c.fd)
	return &set
}

// await waits, for a tenth of a second at most, until the terminal can be read or written.
func (c *console) await(read, write *unix.FdSet) (int, error) {
	return unix.Select(c.fd+1, read, write, nil, &unix.Timeval{Usec: 100_000})
}

func (c *console) close() { unix.Close(c.fd) }
