package live

import (
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

// A keyboard is the terminal as the table has it: keys come as they are typed and are not shown. It is not raw: ^C, ^\ and ^Z are the program's,
// as they always are, so the terminal still makes signals of them. It implements tcell.Tty.
//
// The terminal's settings are those of the program's standard input, too. A read of the program's goes on waiting, as it would: it did not when ours was to end
// after a tenth of a second by VTIME, and the program was at the end of its input. We ask by select whether there is something, and read without waiting what
// the program did not want.
type keyboard struct {
	file    *os.File
	keys    int // the same, to be read from without waiting
	drained atomic.Bool
	saved   *unix.Termios
	ours    *unix.Termios // what Start set
	resized chan os.Signal
	mutex   sync.Mutex
	changed func()
	watched chan struct{} // closed when nobody looks for resized any more
}

// openKeyboard opens the terminal that we run on, in the foreground.
func openKeyboard() (*keyboard, error) {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0) // os.OpenFile would not have reads wait, which macOS cannot do here
	if err != nil {
		return nil, err
	}
	keys, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil && keys >= unix.FD_SETSIZE {
		unix.Close(keys)
		err = unix.EMFILE
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &keyboard{file: os.NewFile(uintptr(fd), "/dev/tty"), keys: keys, resized: make(chan os.Signal, 1)}, nil
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
	group, err := unix.IoctlGetInt(int(k.file.Fd()), unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// Start implements tcell.Tty.
func (k *keyboard) Start() (err error) {
	k.drained.Store(false)
	if !k.inForeground() {
		return unix.ENOTTY
	}
	fd := int(k.file.Fd())
	if k.saved, err = unix.IoctlGetTermios(fd, getTermios); err != nil {
		return err
	}
	settings := *k.saved
	settings.Lflag &^= unix.ICANON | unix.ECHO
	settings.Cc[unix.VMIN], settings.Cc[unix.VTIME] = 1, 0
	if err := k.set(&settings); err != nil {
		return err
	}
	if k.ours, err = unix.IoctlGetTermios(fd, getTermios); err != nil {
		return err
	}
	k.watched = make(chan struct{})
	signal.Notify(k.resized, syscall.SIGWINCH)
	go k.watch(k.watched)
	return nil
}

// set changes the terminal's settings. If a program has just taken the foreground, that must not stop us: rings would fill.
func (k *keyboard) set(settings *unix.Termios) error {
	if !signal.Ignored(syscall.SIGTTOU) {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
	}
	return unix.IoctlSetTermios(int(k.file.Fd()), setTermios, settings)
}

// restore gives the terminal the settings that it had, if it has ours: others are the program's, or of who is in the foreground.
func (k *keyboard) restore() error {
	if k.ours == nil || !k.inForeground() {
		return nil
	}
	if now, err := unix.IoctlGetTermios(int(k.file.Fd()), getTermios); err != nil || *now != *k.ours {
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
	size.Width, size.Height, err = term.GetSize(int(k.file.Fd()))
	return size, err
}

// theirsFirst is how long what was typed is left to the program, which takes it at once if it waits for it.
const theirsFirst = 20 * time.Millisecond

// Read implements tcell.Tty. It ends when the table does, and when the terminal has gone or is somebody else's.
func (k *keyboard) Read(b []byte) (int, error) {
	for !k.drained.Load() && k.inForeground() {
		if !k.ready() {
			continue
		}
		time.Sleep(theirsFirst)
		switch n, err := unix.Read(k.keys, b); {
		case n > 0:
			return n, nil
		case err == unix.EAGAIN || err == unix.EINTR: // the program has read it
		case err != nil:
			return 0, err
		default:
			return 0, io.EOF
		}
	}
	return 0, io.EOF
}

// ready waits, for a tenth of a second at most, until something was typed. Not by poll, which macOS does not have for /dev/tty.
func (k *keyboard) ready() bool {
	var set unix.FdSet
	set.Set(k.keys)
	n, err := unix.Select(k.keys+1, &set, nil, nil, &unix.Timeval{Usec: 100_000})
	if err != nil && err != unix.EINTR {
		return true // the read says what is wrong
	}
	return n > 0
}

// Write implements tcell.Tty.
func (k *keyboard) Write(b []byte) (int, error) { return k.file.Write(b) }

// Close implements tcell.Tty, and does nothing: see end.
func (k *keyboard) Close() error { return nil }

// end gives the terminal back once more, where a program that ended has restored the settings that it had found: the table's.
func (k *keyboard) end() {
	k.restore()
	k.file.Close()
	unix.Close(k.keys)
}
