package live

import "golang.org/x/sys/unix"

// A console is mtrace's own descriptor of the terminal. Changes that the program makes to its standard input, such as
// making it non-blocking, do not affect it.
//
// No call blocks for more than a tenth of a second. On Linux a blocking write to a slow terminal can hang for ever:
// ^Z discards the terminal's output buffer without waking the writer (n_tty.c: isig, pty.c: pty_flush_buffer), and
// then the stopped program's shell would wait, too. It uses select, because macOS has no poll for /dev/tty.
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

// Write writes all of b, and waits as long as the terminal needs.
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

// typed waits up to a tenth of a second for input, and reports whether there is some. If the terminal is gone it
// returns true, and the next read returns the error.
func (c *console) typed() bool {
	n, err := c.await(c.set(), nil)
	return n > 0 || err != nil && err != unix.EINTR
}

// set returns a select set that contains only the console's descriptor.
func (c *console) set() *unix.FdSet {
	var set unix.FdSet
	set.Set(c.fd)
	return &set
}

// await waits until the terminal can be read or written, at most a tenth of a second.
func (c *console) await(read, write *unix.FdSet) (int, error) {
	return unix.Select(c.fd+1, read, write, nil, &unix.Timeval{Usec: 100_000})
}

func (c *console) close() { unix.Close(c.fd) }
