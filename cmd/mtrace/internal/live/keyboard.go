package live

import (
	"cmp"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A keyboard reads keys for the live table, without echo. ^C, ^\ and ^Z still become signals, because they are meant
// for the program. It implements tcell.Tty.
//
// The program may read from the same terminal, and its reads must block as usual. A read timeout of the terminal
// (VTIME) would also end the program's reads, which it would mistake for an end of input. So the keyboard polls, and
// reads only input that the program has not taken.
type keyboard struct {
	*console
	drained atomic.Bool
	hushed  atomic.Bool // no key is passed on any more
	still   atomic.Bool // the reading goroutine has noticed: no more input is passed to the table
	saved   *unix.Termios
	ours    *unix.Termios // the terminal settings that Start set
	resized chan os.Signal
	mutex   sync.Mutex
	changed func()
	watched chan struct{} // closed when resizing is no longer watched
}

// openKeyboard opens the controlling terminal.
func openKeyboard() (*keyboard, error) {
	c, err := openConsole("/dev/tty")
	if err != nil {
		return nil, err
	}
	return &keyboard{console: c, resized: make(chan os.Signal, 1)}, nil
}

// SameTerminal reports whether both files are this process's controlling terminal.
func SameTerminal(a, b *os.File) bool {
	for _, f := range []*os.File{a, b} {
		if _, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP); err != nil { // no terminal, or not ours
			return false
		}
	}
	return true
}

// inForeground reports whether this process's group is in the terminal's foreground, so that it may read keys.
func (k *keyboard) inForeground() bool {
	group, err := unix.IoctlGetInt(k.fd, unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// Start implements tcell.Tty.
func (k *keyboard) Start() (err error) {
	k.drained.Store(false)
	k.hushed.Store(false)
	k.still.Store(false)
	if !k.inForeground() {
		return unix.ENOTTY
	}
	if k.saved, err = unix.IoctlGetTermios(k.fd, getTermios); err != nil {
		return err
	}
	settings := *k.saved
	settings.Lflag &^= unix.ICANON | unix.ECHO
	settings.Cc[unix.VMIN], settings.Cc[unix.VTIME] = 1, 0
	if err := k.set(&settings); err != nil {
		return err
	}
	if k.ours, err = unix.IoctlGetTermios(k.fd, getTermios); err != nil {
		return err
	}
	k.watched = make(chan struct{})
	signal.Notify(k.resized, syscall.SIGWINCH)
	go k.watch(k.watched)
	return nil
}

// set changes the terminal's settings. It ignores SIGTTOU meanwhile: if another program has just taken the
// foreground, the signal would stop mtrace, and the buffers of records in shared memory would fill up.
func (k *keyboard) set(settings *unix.Termios) error {
	if !signal.Ignored(syscall.SIGTTOU) {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
	}
	return unix.IoctlSetTermios(k.fd, setTermios, settings)
}

// restore restores the terminal's former settings, unless another process has changed them since: the new settings
// then belong to the program or to the foreground process.
func (k *keyboard) restore() error {
	if k.ours == nil || !k.inForeground() {
		return nil
	}
	if now, err := unix.IoctlGetTermios(k.fd, getTermios); err != nil || *now != *k.ours {
		return err
	}
	return k.set(k.saved)
}

func (k *keyboard) watch(over <-chan struct{}) {
	for {
		select {
		case <-k.resized:
			k.mutex.Lock()
			changed := k.changed
			k.mutex.Unlock()
			if changed != nil {
				changed()
			}
		case <-over:
			return
		}
	}
}

// Drain implements tcell.Tty: it makes a waiting Read return.
func (k *keyboard) Drain() error {
	k.drained.Store(true)
	return nil
}

// Stop implements tcell.Tty: it restores the terminal's settings.
func (k *keyboard) Stop() error {
	signal.Stop(k.resized)
	close(k.watched)
	return k.restore()
}

// NotifyResize implements tcell.Tty.
func (k *keyboard) NotifyResize(changed func()) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.changed = changed
}

// WindowSize implements tcell.Tty.
func (k *keyboard) WindowSize() (size tcell.WindowSize, err error) {
	size.Width, size.Height, err = term.GetSize(k.fd)
	return size, err
}

// theirsFirst is how long the keyboard leaves typed input to the program. A program that waits for input reads it
// within this time, and the table does not treat it as a key.
const theirsFirst = 20 * time.Millisecond

// Read implements tcell.Tty. It returns an error when the table closes, the terminal is gone, or this process is no
// longer in the foreground.
func (k *keyboard) Read(b []byte) (int, error) {
	for !k.drained.Load() && k.inForeground() {
		if k.hushed.Load() {
			k.still.Store(true)
			time.Sleep(time.Millisecond)
			continue
		}
		if !k.typed() {
			continue
		}
		time.Sleep(theirsFirst)
		switch n, err := unix.Read(k.fd, b); {
		case n > 0:
			return n, nil
		case err != unix.EAGAIN && err != unix.EINTR: // or the program has read it
			k.still.Store(true)
			return 0, cmp.Or(err, io.EOF)
		}
	}
	k.still.Store(true)
	return 0, io.EOF
}

// hush stops reading keys, and returns when the reading goroutine has noticed.
func (k *keyboard) hush() {
	for k.hushed.Store(true); !k.still.Load(); {
		time.Sleep(time.Millisecond)
	}
}

// Close implements tcell.Tty. It does nothing, because the terminal is needed until end.
func (k *keyboard) Close() error { return nil }

// end closes the terminal. It restores the settings once more, in case a program that ended has set them back to the
// table's.
func (k *keyboard) end() {
	k.restore()
	k.close()
}
