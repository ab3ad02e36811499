package main

import (
	"bufio"
	"fmt"
	"io"
	"mtrace/analyze"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A terminal is a pseudo-terminal with an interactive shell that has job control; the test types on it.
type terminal struct {
	t      *testing.T
	screen *os.File // the other side of it
	shell  *exec.Cmd
	mutex  sync.Mutex
	text   string // all that was written to it
	read   int    // of it, what was expected and came
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	shell := "/bin/dash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	c := &terminal{t: t, shell: exec.Command(shell, "-i")}
	c.shell.Env = append(os.Environ(), "ENV=", "TERM=dumb", "HISTFILE=", "SOFTMETAL_LIBRARY="+filepath.Join(tool.dir,
		"softmetal", "libsoftmetal.so"))
	c.shell.Dir = t.TempDir()
	screen, err := pty.StartWithSize(c.shell, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	c.screen = screen
	t.Cleanup(c.close)
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := screen.Read(buffer)
			c.mutex.Lock()
			c.text += string(buffer[:n])
			c.mutex.Unlock()
			if err != nil {
				return
			}
		}
	}()
	c.types("stty -echo; PS1= PS2=; echo sh''ell ready\n")
	c.expect("shell ready")
	return c
}

// close closes the terminal: programs that still run on it get SIGHUP when the shell has ended. The other side is
// closed only when nothing reads it any more: a failed test waited here for a shell that waited for a line, until the
// time limit of all tests.
func (c *terminal) close() {
	c.shell.Process.Kill()
	c.screen.Close()
	c.shell.Wait()
}

func (c *terminal) types(keys string) {
	c.t.Helper()
	hang := time.AfterFunc(patience, func() { c.shell.Process.Kill() }) // nobody takes the keys
	defer hang.Stop()
	if _, err := c.screen.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// comes reports whether a text has appeared since the last expected one.
func (c *terminal) comes(text string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, _, found := strings.Cut(c.text[c.read:], text)
	if found {
		c.read += strings.Index(c.text[c.read:], text) + len(text)
	}
	return found
}

// expect waits for a text. Between attempts it types the texts of again, if there are any.
func (c *terminal) expect(text string, again ...string) {
	c.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !c.comes(text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.t.Fatalf("%q did not come; the terminal shows\n%s\nof it after what was expected last:\n%s", text, c.text,
				c.text[c.read:])
		}
		for _, keys := range again {
			time.Sleep(200 * time.Millisecond)
			c.types(keys)
		}
	}
}

// program are the lines that the program wrote, in order.
func (c *terminal) program() (lines []string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for line := range strings.Lines(c.text) {
		if _, said, is := strings.Cut(strings.TrimSpace(line), "program: "); is {
			lines = append(lines, said)
		}
	}
	return lines
}

const interruptKey, suspendKey = "\x03", "\x1a"

// converse runs a program on a terminal and acts on it as people do. prefix is the command that runs it.
func converse(t *testing.T, prefix string) (said []string) {
	c := openTerminal(t)
	script, err := filepath.Abs("testdata/interactive.py")
	if err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprintf("%s python3 %s %s\n", prefix, script, workload(t))
	c.types(start)
	c.expect("ready in the foreground")
	c.expect("24x80")
	if err := pty.Setsize(c.screen, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	c.expect("30x100")
	c.types(interruptKey)
	c.expect("interrupted")
	c.types("one\n")
	c.expect("read one")

	c.types(suspendKey)
	c.expect("Stopped", "jobs\n") // the shell has the terminal
	c.types("bg\n")
	c.expect("goes on in the background")
	c.expect("Stopped (tty output)", "jobs\n") // it changes the terminal's settings, and that is for the foreground
	c.types("fg\n")
	c.expect("goes on in the foreground")
	c.types("two\n")
	c.expect("read two")

	c.types("stop\n") // by itself, and nobody else was told
	c.expect("Stopped (signal)", "jobs\n")
	c.types("fg\n")
	c.expect("goes on in the foreground")
	c.types("ignore\n")
	c.expect("ignores ^Z")
	c.types(suspendKey)
	time.Sleep(200 * time.Millisecond) // for whoever stops at it
	c.types("three\n")
	c.expect("read three")
	c.types("quit\n")
	c.expect("quits")
	c.types("echo stat''us $?\n")
	c.expect("status 3")

	c.types(start)
	c.expect("ready in the foreground")
	c.types("default\n")
	c.expect("ends at ^C")
	c.types(interruptKey)
	c.types("echo stat''us $?\n")
	c.expect("status 130")
	c.types("tty >/dev/null && stty | grep -c 'raw\\|-icanon'; exit\n") // the terminal is as it was
	c.expect("0")
	return c.program()
}

// At a terminal, with a shell that has job control, a program behaves the same traced and untraced: it gets the
// terminal's keys, its size and its turns in the foreground, and the shell sees it stop, for any reason, and end. A
// program that stopped itself left its shell waiting, because only the program stopped and mtrace did not. A program
// that ignores ^Z lost the terminal to the shell, because mtrace stopped and the program did not.
func TestJobControl(t *testing.T) {
	t.Parallel()
	plain := converse(t, "")
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	traced := converse(t, tool.mtrace+" run --no-report --force -o "+trace+" --")
	if !slices.Equal(traced, plain) {
		t.Errorf("traced it said\n%q\nuntraced\n%q", traced, plain)
	}
	loaded, err := analyze.Load(trace, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.CommandBuffers) == 0 || loaded.Recording.Lost.Records != 0 {
		t.Errorf("%d command buffers are in the trace, %d records were lost", len(loaded.CommandBuffers),
			loaded.Recording.Lost.Records)
	}
}

// The story: a program was stopped and continued by its process id alone. mtrace, and the collector in it, stayed
// stopped for ever, because only the program got SIGCONT. Without a shell that watches, mtrace does not stop at all.
func TestProgramStoppedAlone(t *testing.T) {
	c := exec.Command(tool.mtrace, "run", "--no-report", "-o", filepath.Join(t.TempDir(), "t.mtrace"), "--", "sh", "-c",
		"echo $$; kill -STOP $$; echo on")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startInTime(t, c)
	hang := time.AfterFunc(2*time.Minute, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	defer hang.Stop()
	lines := bufio.NewReader(out)
	first, _ := lines.ReadString('\n')
	program, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		t.Fatalf("%q: %v", first, err)
	}
	time.Sleep(200 * time.Millisecond) // it stops; an earlier signal has no effect, so it is sent repeatedly
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
				syscall.Kill(program, syscall.SIGCONT)
			}
		}
	}()
	rest, _ := io.ReadAll(lines)
	err = c.Wait()
	close(done)
	if err != nil || string(rest) != "on\n" {
		t.Errorf("%v, and %q", err, rest)
	}
}
