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

// Held collects the program's terminal output while the live table occupies the terminal, and writes it to the
// terminal when the table closes. The program writes to a pseudo-terminal, because with a pipe it would change
// colours, progress bars and buffering. The output is kept in an unnamed temporary file.
type Held struct {
	Program *os.File      // where the program writes
	Full    chan struct{} // closed when no more output can be stored: the table must close
	source  *os.File      // the other side of the pseudo-terminal
	real    *console
	mutex   sync.Mutex
	kept    *os.File
	through bool     // output goes directly to the real terminal from now on
	last    []string // the newest lines of the output; the last one may be incomplete
	mark    []byte   // Finish writes it after the program's last output
	rest    []byte   // bytes that may be the beginning of the mark
	marked  chan struct{}
	failure error  // why no more output can be stored
	beyond  []byte // output after the failure, kept in memory
}

// lastLines is how many of the newest output lines the table can show, longestLine how many bytes of each are kept.
const lastLines, longestLine = 32, 512

// Hold creates a pseudo-terminal for the program (Held.Program), and starts to collect what the program writes to it.
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

// settings copies the real terminal's settings to the pseudo-terminal, but switches off output processing (such as \n
// to \r\n): the real terminal processes the same output later, and processing it twice would garble it.
func (h *Held) settings() error {
	settings, err := unix.IoctlGetTermios(h.real.fd, getTermios)
	if err != nil {
		return err
	}
	settings.Oflag &^= unix.OPOST
	return unix.IoctlSetTermios(int(h.Program.Fd()), setTermios, settings)
}

// Resized gives the pseudo-terminal the real terminal's size, and reports whether that changed it.
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

// came handles output of the program. It recognizes and removes the mark that Finish writes after the last output.
// The caller holds the mutex.
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

// overlap returns how many bytes at the end of b may be the beginning of mark. The caller keeps them until more bytes
// arrive.
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

// Last returns the newest lines of the program's output, for the table: without control characters and empty lines.
func (h *Held) Last() (lines []string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, l := range h.last {
		// a progress bar overwrites its line after \r: only the newest state is shown
		if _, after, again := cutLast(strings.TrimRight(l, "\r"), "\r"); again {
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

// shown returns a line without terminal escape sequences and control characters.
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

// Release writes the collected output to the real terminal. From then on output goes there directly.
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
		fmt.Fprintf(h.real,
			"mtrace: the live table was closed, because the program's output can no longer be stored meanwhile: %v\n",
			h.failure)
	}
	h.kept.Close()
}

// Finish returns when everything that the program wrote is on the real terminal. To know that, it writes a mark to
// the pseudo-terminal and waits until the mark arrives. If children of the program still run, their output is passed
// on as long as mtrace runs.
func (h *Held) Finish() {
	mark := []byte(fmt.Sprintf("\x00mtrace %s\x00", rand.Text()))
	h.mutex.Lock()
	h.mark = mark
	h.mutex.Unlock()
	if _, err := h.Program.Write(mark); err == nil { // the mark arrives after everything that the program wrote before
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
