package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"mtrace/analyze"
)

// endless makes a command buffer last longer than any test, so that a thread's wait does not depend on the machine's
// speed.
const endless = "SOFTMETAL_TIMED=1 SOFTMETAL_DURATION_US=3600000000"

// A liveProgram is a program on a terminal, under mtrace run --live, that follows the test's commands.
type liveProgram struct {
	*terminal
	columns, rows int
	folder        string // in which a file is an order
	trace         string
}

func startLive(t *testing.T, columns, rows int) *liveProgram {
	t.Helper()
	p := newLive(t, columns, rows)
	script, err := filepath.Abs("testdata/live.py")
	if err != nil {
		t.Fatal(err)
	}
	p.runs(fmt.Sprintf("python3 %s %s %s", script, workload(t), p.folder))
	return p
}

func newLive(t *testing.T, columns, rows int) *liveProgram {
	t.Helper()
	p := &liveProgram{terminal: openTerminal(t), columns: columns, rows: rows, folder: t.TempDir(),
		trace: filepath.Join(t.TempDir(), "t.mtrace")}
	if err := pty.Setsize(p.screen, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	return p
}

// runs runs a command under --live, in a shell that prints its status, and the terminal's settings before and after.
func (p *liveProgram) runs(command string) {
	p.t.Helper()
	p.types("stty -g | sed s/^/before:/\n")
	p.expect("before:")
	p.types(fmt.Sprintf("TERM=xterm-256color %s %s run --live --no-report --keep-empty -o %s -- %s; echo stat''us $?; "+
		"stty -g | sed s/^/after:/\n",
		endless, tool.mtrace, p.trace, command))
}

// tell gives the program an order.
func (p *liveProgram) tell(order string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.folder, order), nil, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// shows is the screen that a person sees.
func (p *liveProgram) shows() string {
	emulator := vt10x.New(vt10x.WithSize(p.columns, p.rows))
	p.mutex.Lock()
	defer p.mutex.Unlock()
	emulator.Write([]byte(p.text))
	return emulator.String()
}

// sees waits until all texts are on the screen, and returns that.
func (p *liveProgram) sees(texts ...string) string {
	p.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		screen, missing := p.shows(), ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return screen
		}
		if time.Now().After(end) {
			p.t.Fatalf("%q is not on the screen:\n%s", missing, screen)
		}
	}
}

// restored checks that the terminal is as it was before: its settings, and its first screen with all of the program's
// output, in order.
func (p *liveProgram) restored(status int, wrote ...string) {
	p.t.Helper()
	screen := p.sees(fmt.Sprintf("status %d", status), "after:")
	at := 0
	for _, text := range wrote {
		i := strings.Index(screen[at:], text)
		if i < 0 {
			p.t.Errorf("%q is not on the screen, in its place:\n%s", text, screen)
			return
		}
		at += i + len(text)
	}
	for _, text := range []string{"q quit the table", "WAITS ON"} {
		if strings.Contains(screen, text) {
			p.t.Errorf("%q is still on the screen:\n%s", text, screen)
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	setting := func(when string) string {
		_, rest, _ := strings.Cut(p.text, when)
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(line)
	}
	if before, after := setting("before:"), setting("after:"); before != after || before == "" {
		p.t.Errorf("the terminal's settings were %q and are %q", before, after)
	}
	if strings.Count(p.text, "\x1b[?1049h") != strings.Count(p.text, "\x1b[?1049l") ||
		strings.LastIndex(p.text, "\x1b[?25h") < strings.LastIndex(p.text, "\x1b[?25l") {
		p.t.Error("the second screen was not left, or the cursor is hidden")
	}
}

// waiting has the texts on the screen while the program's thread waits for the GPU.
var waiting = []string{"python3", "GPU busy", "in flight 1", "lost 0", "THREAD", "STATE", "WAITS ON", "waits: GPU",
	"its own work", "COMMITS/S", "program: first line", "s sort", "p pause", "q quit"}

// The table on screens of three widths: each thread with its activity and the thread it waits for. Keys sort, pause,
// and end the table, not the program. The program's output, colours included, is on the terminal when the table has
// closed.
func TestLiveTable(t *testing.T) {
	t.Parallel()
	for columns, more := range map[int][]string{60: nil, 80: {"CALLS/S", "WAITED"}, 140: {"CALLS/S", "WAITED", "IN CALL",
		"CALL", "waitUntilCompleted"}} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			p := startLive(t, columns, 24)
			screen := p.sees(append(waiting, more...)...)
			if columns < 140 && strings.Contains(screen, "waitUntilCompleted") {
				t.Errorf("a column that does not fit is on the screen:\n%s", screen)
			}
			p.types("s")
			p.sees("sort: calls/s")
			p.types("p")
			p.sees("PAUSED")
			p.tell("a")
			time.Sleep(1500 * time.Millisecond) // in which nothing may change
			paused := p.shows()
			if heading, _, _ := strings.Cut(paused, "\n"); strings.Contains(paused, "told a") ||
				!strings.Contains(p.sees("PAUSED"), heading) {
				t.Errorf("it is paused, and shows\n%s", paused)
			}
			p.types("p")
			p.sees("p pause", "program: told a")
			p.types("q")
			p.leaves()
			p.sees("program: first line", "program: told a")
			p.tell("b") // it lives
			p.sees("program: told b")
			p.tell("end")
			p.restored(5, fmt.Sprintf("program: first line %dx24", columns), "program: told a", "program: told b",
				"program: last line", "mtrace: wrote")
			if p.mutex.Lock(); !strings.Contains(p.text, "\x1b[1mfirst\x1b[0m") {
				t.Error("the program's colours were lost")
			}
			p.mutex.Unlock()
			if loaded, err := analyze.Load(p.trace, analyze.Options{}); err != nil || len(loaded.CommandBuffers) == 0 {
				t.Errorf("the trace: %v", err)
			}
		})
	}
}

// The terminal is as it was, and has all that the program wrote, however the table ends: with the program, by ^C, by
// ^\, by a signal to us.
func TestLiveTableEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		how    func(*liveProgram)
		status int
		wrote  []string
	}{
		"with the program": {func(p *liveProgram) { p.tell("end") }, 5, []string{"program: first line", "program: last line",
			"mtrace: wrote"}},
		"interrupted": {func(p *liveProgram) {
			p.types(interruptKey)
			p.sees("program: interrupted")
			p.tell("end")
		}, 5, []string{"program: first line", "program: interrupted", "program: last line"}},
		"quit by a signal": {func(p *liveProgram) { p.types("\x1c") }, 128 + int(syscall.SIGQUIT),
			[]string{"program: first line"}},
		"resized and stopped": {func(p *liveProgram) {
			p.columns, p.rows = 100, 30
			if err := pty.Setsize(p.screen, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
				p.t.Fatal(err)
			}
			p.sees("q quit the table, not the program", "waits: GPU")
			p.types(suspendKey)
			p.sees("Stopped")
			if screen := p.shows(); strings.Contains(screen, "WAITS ON") {
				p.t.Errorf("it is stopped, and the table is there:\n%s", screen)
			}
			p.types("fg\n")
			p.sees("WAITS ON", "waits: GPU")
			p.tell("end")
			p.sees("mtrace: wrote")
		}, 128 + int(syscall.SIGSTOP) /* which the shell says when it stops */, []string{"program: first line",
			"program: last line"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := startLive(t, 80, 24)
			p.sees(waiting...)
			end.how(p)
			p.restored(end.status, end.wrote...)
		})
	}
}

// leaves waits until the table has gone.
func (p *liveProgram) leaves() {
	p.t.Helper()
	for end := time.Now().Add(3 * time.Minute); strings.Contains(p.shows(), "q quit"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the table does not go:\n%s", p.shows())
		}
	}
}

// A program that waits for its user's input continues to wait, and gets the input. The story: reads of the table end
// after a tenth of a second, by the terminal's settings. The program's reads did the same, without data: it saw the end
// of its input.
func TestLiveProgramReads(t *testing.T) {
	t.Parallel()
	p := newLive(t, 80, 24)
	p.runs("sh -c 'echo re''ady; read line; echo got:$line'")
	p.sees("ready", "q quit")
	time.Sleep(time.Second) // in which it got nothing
	p.types("hello\n")
	p.restored(0, "ready", "got:hello")
}

// A text that is pasted into the table, with a q in it, hung mtrace for good: the drawing library waited until all keys
// were read.
func TestLivePaste(t *testing.T) {
	t.Parallel()
	p := startLive(t, 80, 24)
	p.sees(waiting...)
	p.types("q" + strings.Repeat("s", 3500))
	p.leaves()
	p.tell("end")
	p.sees("program: last line", "status 5")
}

// Where there is no terminal it is lines on standard error, and nothing that steers one; the program's output is its
// own.
func TestLiveLines(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script, err := filepath.Abs("testdata/live.py")
	if err != nil {
		t.Fatal(err)
	}
	ended := time.AfterFunc(4*time.Second, func() { os.WriteFile(filepath.Join(folder, "end"), nil, 0o644) })
	defer ended.Stop()
	env := append(strings.Fields(endless), "SOFTMETAL_LIBRARY="+filepath.Join(tool.dir, "softmetal", "libsoftmetal.so"))
	got := sh(t, t.TempDir(), env, tool.mtrace, "run", "--live", "--no-report", "-o", "t.mtrace", "--", "python3", script,
		workload(t), folder)
	if got.exit != 5 || got.stdout != "program: \x1b[1mfirst\x1b[0m line None\nprogram: last line\n" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(got.stderr, ": GPU busy ") || !strings.Contains(got.stderr, "lost 0") ||
		strings.Contains(got.stderr, "\x1b") {
		t.Errorf("the lines: %q", got.stderr)
	}
}
