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

// A keyboard is the terminal as the table has it: keys come as they are typed and are not shown. It is not raw: ^C, ^\
// and ^Z are the program's, as they always are, so the terminal still makes signals of them. It implements tcell.Tty.
//
// The terminal's settings are those of the program's standard input, too. A read of the program's continues waiting, as
// it would: it did not when ours was to end after a tenth of a second by VTIME, and the program was at the end of its
// input. We ask whether there is something, and read without waiting what the program did not want.
type keyboard struct {
	*console
	drained atomic.Bool
	hushed  atomic.Bool // no key is passed on any more
	still   atomic.Bool // since then nobody is about to pass one on
	saved   *unix.Termios
	ours    *unix.Termios // what Start set
	resized chan os.Signal
	mutex   sync.Mutex
	changed func()
	watched chan struct{} // closed when nobody looks for resized any more
}

// openKeyboard opens the terminal that we run on, in the foreground.
func openKeyboard() (*keyboard, error) {
	c, err := openConsole("/dev/tty")
	if err != nil {
		return nil, err
	}
	return &keyboard{console: c, resized: make(chan os.Signal, 1)}, nil
}

// SameTerminal says whether two files are the terminal that we run on.
func SameTerminal(a, b *os.File) bool {
	for _, f := range []*os.File{a, b} {
		if _, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP); err != nil { // no terminal, or not ours
			return false
		}
	}
	return true
}

// inForeground says whether what is typed is for us.
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

// set changes the terminal's settings. If a program has just taken the foreground, that must not stop us: rings would
// fill.
func (k *keyboard) set(settings *unix.Termios) error {
	if !signal.Ignored(syscall.SIGTTOU) {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
	}
	return unix.IoctlSetTermios(k.fd, setTermios, settings)
}

// restore resets the terminal to its former settings if it still has ours. Other settings belong to the program or to
// the foreground process.
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

// Drain implements tcell.Tty: a read that waits ends.
func (k *keyboard) Drain() error {
	k.drained.Store(true)
	return nil
}

// Stop implements tcell.Tty: the terminal is as it was.
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

// theirsFirst is how long what was typed is left to the program, which takes it at once if it waits for it.
const theirsFirst = 20 * time.Millisecond

// Read implements tcell.Tty. It ends when the table does, and when the terminal has gone or is somebody else's.
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

// hush ends the passing on of keys, and waits until what was read has been taken.
func (k *keyboard) hush() {
	for k.hushed.Store(true); !k.still.Load(); {
		time.Sleep(time.Millisecond)
	}
}

// Close implements tcell.Tty, and does nothing: see end.
func (k *keyboard) Close() error { return nil }

// end resets the terminal once more if a program that ended has restored the table's settings, which it had found.
func (k *keyboard) end() {
	k.restore()
	k.close()
}
