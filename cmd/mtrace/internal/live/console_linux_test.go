package live

import (
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A terminal that shows nothing buffers some kilobytes, and then writes block. ^Z discards the buffered output, and
// Linux does not wake the blocked writer. In 4 of 200 runs with busy loops mtrace --live hung at ^Z for good: its table
// was blocked in such a write, and could not be stopped. Here a program discards the terminal's output, as the key
// does, and nothing ever reads.
func TestWriteToATerminalThatForgets(t *testing.T) {
	shown, terminal, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer shown.Close()
	defer terminal.Close()
	c, err := openConsole(terminal.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	const size = 200_000 // many times what it takes
	written := make(chan error, 1)
	go func() {
		n, err := c.Write(make([]byte, size))
		if n != size && err == nil {
			t.Errorf("%d bytes of %d were written", n, size)
		}
		written <- err
	}()
	forget := time.NewTicker(10 * time.Millisecond)
	defer forget.Stop()
	for end := time.After(2 * time.Minute); ; {
		select {
		case err := <-written:
			if err != nil {
				t.Error(err)
			}
			return
		case <-forget.C:
			if err := unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCOFLUSH); err != nil {
				t.Fatal(err)
			}
		case <-end:
			t.Fatal("the write still waits, with room in the terminal")
		}
	}
}
