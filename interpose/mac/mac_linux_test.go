package mac

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A program of testdata, run in one way.
type program struct {
	name string
	args []string
	env  []string
	want string // on standard output
	sent string // a text that it must send to its collector; it has a collector if this is not empty
}

const anything = "\x00" // each frame has zeros

const refused = "waits for locks and signals are not recorded"

var unseen = "a Metal device was created by a function or framework that the tracer does not replace"

var programs = []program{
	// functions
	{name: "place", want: "0x400 first 0x400\n0x47f first 0x47f\n0x480 - 0x480\n0x488 - 0x488\n0x800 large 0x800\n" +
		"0x1000 global 0x1000\n0x1008 - 0x1008\n0x1040 - 0x1040\n0x1400 other 0x1400\n" + // variables
		"0x3fc - 0x3fc\nnowhere\n"}, // before all of them
	{name: "images", want: "ok\n"},
	{name: "methods", want: "ok\n"},
	{name: "doorbell", want: "ok\n"},
	{name: "clock", args: []string{"125", "3"}, want: "ok\n", sent: "os=darwin"},
	{name: "clock", args: []string{"1", "1"}, env: []string{"MAC_TICKS_PER_SECOND=1000000000"}, want: "ok\n",
		sent: anything},
	{name: "clock", args: []string{"125", "3"}, env: []string{"MTRACE_CLOCK=nanoseconds"}, want: "ok\n", sent: anything},
	{name: "waits", want: "ok\n", sent: "program="},
	{name: "waits", env: []string{"MTRACE_STACKS=native", "MAC_TICKS_PER_SECOND=1000000000"}, want: "ok\n",
		sent: anything},
	{name: "blocking", want: "ok\n", sent: anything},
	{name: "blocking", env: []string{"MTRACE_STACKS=native"}, want: "ok\n", sent: anything},
	{name: "processes", want: "ok\n"},
	{name: "processes", want: "ok\n", sent: "program="},
	{name: "signposts", want: "ok\n", sent: anything},
	{name: "start", want: "ok\n", sent: anything},
	{name: "start", env: []string{"MAC_GO_AT_LOAD=1"}, want: "ok\n", sent: anything},
	{name: "start", args: []string{"memory"}, want: "ok\n", sent: anything},
	{name: "metal", args: []string{"functions"}, want: "ok\n", sent: "arg=functions"},
	{name: "metal", args: []string{"behind"}, want: "ok\n", sent: unseen},
	{name: "metal", args: []string{"none"}, want: "ok\n", sent: anything},
	{name: "refused", want: "ok\n", sent: anything},
	{name: "refused", env: []string{"MAC_REFUSE_INTERPOSING=1"}, want: "ok\n", sent: refused},
	{name: "completion", want: "ok\n", sent: anything},
	{name: "layers", want: "ok\n", sent: anything},
	{name: "autorelease", want: "ok\n", sent: anything},
	{name: "forks", want: "ok\n", sent: anything},
	// The child of a fork signalled a semaphore that its parent's drainer waits for, for which libdispatch ends it: where
	// Go starts as the library is loaded, as in tests on a Mac, workers that were forked before the first Metal call died
	// at theirs.
	{name: "forks", env: []string{"MAC_GO_AT_LOAD=1"}, want: "ok\n", sent: anything},
}

func (p program) title() string {
	return strings.Join(append([]string{p.name}, append(p.args, p.env...)...), " ")
}

// A listener receives data from programs and stores it.
type listener struct {
	path        string
	door        net.Listener
	mutex       sync.Mutex
	all         bytes.Buffer
	connections sync.WaitGroup
}

func listen(t *testing.T) *listener {
	t.Helper()
	dir, err := os.MkdirTemp("", "mac")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := &listener{path: filepath.Join(dir, "s")}
	if l.door, err = net.Listen("unix", l.path); err != nil {
		t.Fatal(err)
	}
	l.connections.Go(func() {
		for {
			c, err := l.door.Accept()
			if err != nil || c.RemoteAddr().String() == l.last() {
				return
			}
			l.connections.Go(func() {
				defer c.Close()
				io.Copy(l, c)
			})
		}
	})
	return l
}

func (l *listener) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.all.Write(p)
}

// last is the address of the connection after which there is none.
func (l *listener) last() string { return l.path + ".last" }

// finish waits for all connections and returns the data received. Connections are accepted in the order in which they
// were made, so finish makes the last one itself. Without it the listener was closed before a program's connection was
// accepted, and "0 bytes were sent".
func (l *listener) finish(t *testing.T) string {
	t.Helper()
	last, err := net.DialUnix("unix", &net.UnixAddr{Name: l.last(), Net: "unix"}, &net.UnixAddr{Name: l.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	l.connections.Wait()
	l.door.Close()
	return l.all.String()
}

func (b *built) run(t *testing.T, p program) {
	t.Helper()
	cmd := exec.Command(b.program(t, p.name), p.args...)
	cmd.Env = append(append(append(os.Environ(), "MTRACE_SOCKET="), b.env...), p.env...)
	var l *listener
	if p.sent != "" {
		l = listen(t)
		cmd.Env = append(cmd.Env, "MTRACE_SOCKET="+l.path)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	watchdog := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
	err := cmd.Run()
	if !watchdog.Stop() {
		t.Error("it hung")
	}
	if err != nil || stdout.String() != p.want || stderr.Len() > 0 {
		t.Errorf("%v\n%sit should say\n%s%s", err, &stdout, p.want, &stderr)
	}
	if l == nil {
		return
	}
	sent := l.finish(t)
	wrong := slices.ContainsFunc([]string{unseen, refused}, func(text string) bool {
		return p.sent != text &&
			strings.Contains(sent, text)
	})
	if !strings.Contains(sent, p.sent) || wrong {
		t.Errorf("%d bytes were sent, without %q", len(sent), p.sent)
	}
}

// Every file of the library that is for macOS is compiled, without a warning, and run: plain, to see which lines ran,
// and with sanitizers.
func TestMac(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			if testing.Short() && v.name != "plain" {
				t.Skip("instrumented builds of all there is in C")
			}
			t.Parallel() // the programs often wait
			b := v.build(t)
			for _, p := range programs {
				t.Run(p.title(), func(t *testing.T) { b.run(t, p) })
			}
			t.Run("trace", b.testTrace)
			t.Run("calls", b.testCalls)
			t.Run("serial queue", b.testSerialQueue)
			if v.name == "plain" {
				b.reportCoverage(t)
			}
		})
	}
}
