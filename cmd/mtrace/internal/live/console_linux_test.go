package live

import (
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A terminal that shows nothing takes some kilobytes, and then writes wait. ^Z throws away what it has not shown, and
// on Linux nobody tells who waits that there is room again. In 4 of 200 runs beside busy loops mtrace --live stood
// still at ^Z for good: its table was waiting so, and nobody could stop it. Here a program throws away what the
// terminal has not shown, as the key does, and nobody ever reads.
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
