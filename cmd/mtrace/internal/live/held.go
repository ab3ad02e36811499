package live

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"mtrace/analyze"
	"mtrace/collector"
)

// Held is what a program writes to the terminal while the table has that: it writes to a terminal of its own, from
// which we take it, and it comes to the real one when the table is gone, all of it and in its order. It is kept in a
// file without a name. To be a terminal is what a program looks for when it chooses colours, progress bars and how
// often to write; a pipe would change what it does.
type Held struct {
	Program *os.File      // where it writes
	Full    chan struct{} // closed when no more can be held: the table is to go
	source  *os.File      // the other side
	real    *console
	mutex   sync.Mutex
	kept    *os.File
	through bool     // what comes goes to the real one at once
	last    []string // lines, the newest at the end, which may not be whole
	mark    []byte   // what ends what the program wrote
	rest    []byte   // what may be the mark's beginning
	marked  chan struct{}
	failure error  // why no more can be held
	beyond  []byte // what came since then
}

// lastLines is how many lines are remembered for the table, and longestLine how long one of them may be.
const lastLines, longestLine = 32, 512

// Hold begins to hold what a program will write to Program in place of the terminal that we run on.
func Hold() (*Held, error) {
	real, err := openConsole("/dev/tty")
	if err != nil {
		return nil, err
	}
	source, program, err := pty.Open()
	if err != nil {
		real.close()
		return nil, err
	}
	h := &Held{Program: program, Full: make(chan struct{}), source: source, real: real, marked: make(chan struct{}),
		last: []string{""}}
	if h.kept, err = os.CreateTemp(collector.TemporaryFolder(), "mtrace-output-"); err == nil {
		os.Remove(h.kept.Name())
		err = h.settings()
	}
	if err != nil {
		h.close()
		return nil, err
	}
	h.Resized()
	go h.take()
	return h, nil
}

// settings are the real terminal's, but that it does nothing to what is written: the real one will.
func (h *Held) settings() error {
	settings, err := unix.IoctlGetTermios(h.real.fd, getTermios)
	if err != nil {
		return err
	}
	settings.Oflag &^= unix.OPOST
	return unix.IoctlSetTermios(int(h.Program.Fd()), setTermios, settings)
}

// Resized gives the program's terminal the size that the real one has now, and says whether it had another.
func (h *Held) Resized() bool {
	want, err := unix.IoctlGetWinsize(h.real.fd, unix.TIOCGWINSZ)
	if err != nil {
		return false
	}
	program := int(h.Program.Fd())
	if have, err := unix.IoctlGetWinsize(program, unix.TIOCGWINSZ); err != nil || *have == *want {
		return false
	}
	return unix.IoctlSetWinsize(program, unix.TIOCSWINSZ, want) == nil
}

func (h *Held) take() {
	b := make([]byte, 1<<15)
	for {
		n, err := h.source.Read(b)
		h.mutex.Lock()
		h.came(b[:n])
		h.mutex.Unlock()
		if err != nil {
			return
		}
	}
}

// came takes in what came, with the mutex.
func (h *Held) came(b []byte) {
	if h.mark == nil {
		h.put(b)
		return
	}
	b = append(h.rest, b...)
	h.rest = nil
	if before, after, found := bytes.Cut(b, h.mark); found {
		h.mark = nil
		h.put(before)
		h.put(after)
		close(h.marked)
		return
	}
	whole := len(b) - overlap(b, h.mark)
	h.put(b[:whole])
	h.rest = bytes.Clone(b[whole:])
}

// overlap is how long an end of b is that is a beginning of mark.
func overlap(b, mark []byte) int {
	for n := min(len(b), len(mark)-1); n > 0; n-- {
		if bytes.HasSuffix(b, mark[:n]) {
			return n
		}
	}
	return 0
}

func (h *Held) put(b []byte) {
	if h.through {
		h.real.Write(b)
		return
	}
	if h.failure == nil {
		n, err := h.kept.Write(b)
		if err != nil {
			h.failure = err
			close(h.Full)
		}
		h.beyond = append(h.beyond, b[n:]...)
	} else {
		h.beyond = append(h.beyond, b...)
	}
	for i, text := range strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n") {
		if i > 0 {
			h.last = append(h.last, "")
		}
		line := &h.last[len(h.last)-1]
		if *line += text; len(*line) > longestLine {
			*line = (*line)[len(*line)-longestLine:]
		}
	}
	h.last = h.last[max(0, len(h.last)-lastLines):]
}

// Last are the last lines, as they can be shown.
func (h *Held) Last() (lines []string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, l := range h.last {
		if _, after, again := cutLast(strings.TrimRight(l, "\r"), "\r"); again { // of a progress bar only the newest is seen
			l = after
		}
		if l = shown(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// shown is a line without what steers a terminal: sequences of ECMA-48, and single characters.
func shown(l string) string {
	var b strings.Builder
	for len(l) > 0 {
		if rest, is := strings.CutPrefix(l, "\x1b["); is {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= 0x40 && r <= 0x7e })
			if end < 0 {
				break
			}
			l = rest[end+1:]
			continue
		}
		end := strings.IndexByte(l[1:], '\x1b') + 1
		if end == 0 {
			end = len(l)
		}
		b.WriteString(strings.TrimPrefix(l[:end], "\x1b"))
		l = l[end:]
	}
	return strings.TrimRightFunc(analyze.Printable(b.String()), unicode.IsSpace)
}

// Release writes the held output to the real terminal. Later output goes there directly.
func (h *Held) Release() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.release()
}

func (h *Held) release() {
	if h.through {
		return
	}
	h.through = true
	if _, err := h.kept.Seek(0, io.SeekStart); err == nil {
		io.Copy(h.real, h.kept)
	}
	h.real.Write(h.beyond)
	h.beyond = nil
	if h.failure != nil {
		fmt.Fprintf(h.real, "mtrace: the table is gone: what the program writes cannot be kept meanwhile: %v\n", h.failure)
	}
	h.kept.Close()
}

// Finish waits until all that the program has written is on the real terminal. What its children write later goes
// there, as long as we live.
func (h *Held) Finish() {
	mark := []byte(fmt.Sprintf("\x00mtrace %s\x00", rand.Text()))
	h.mutex.Lock()
	h.mark = mark
	h.mutex.Unlock()
	if _, err := h.Program.Write(mark); err == nil { // it comes behind what was written before it
		<-h.marked
	}
	h.Program.Close()
	h.Release()
}

func (h *Held) close() {
	h.Program.Close()
	h.source.Close()
	h.real.close()
	if h.kept != nil {
		h.kept.Close()
	}
}
