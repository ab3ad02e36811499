package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The child of a fork shares the parent's pages: were it to record, it would write over the parent's records. It runs
// as it would and is counted.
func TestForkWithoutExec(t *testing.T) {
	r := trace(t, client(t, "fork", "10"))
	r.compare(t)
	if len(r.tracees) != 1 {
		t.Fatalf("%d processes, not 1", len(r.tracees))
	}
	if forks := r.tracees[0].region.Losses().Forks; forks != 10 {
		t.Errorf("%d children were counted, not 10", forks)
	}
}

// Python's multiprocessing forks its workers before anybody has used Metal: each is a process of its own.
func TestForkBeforeMetal(t *testing.T) {
	r := trace(t, client(t, "fork-first", "5"))
	r.compare(t)
	traced := 0
	for _, p := range r.tracees {
		if p.region != nil {
			traced++
		}
	}
	if traced != 5 {
		t.Errorf("%d of 5 workers were traced", traced)
	}
}

// A child that outlives its killed parent must not keep the parent's connection open: the collector once saw the end
// 3.8 s late.
func TestOrphanDoesNotHoldTheConnection(t *testing.T) {
	start := time.Now()
	r := trace(t, client(t, "orphan"))
	if took := time.Since(start); took > 50*time.Second {
		t.Errorf("the collector waited %v for the end of a process that was killed at once", took)
	}
	if got := len(calls(r.events(t))); got == 0 {
		t.Errorf("nothing was recorded")
	}
}

// exec starts a new program in the same process: a new connection, with the same process id.
func TestExec(t *testing.T) {
	r := trace(t, client(t, "exec", "3"))
	r.compare(t)
	if len(r.tracees) != 3 {
		t.Fatalf("%d programs, not 3", len(r.tracees))
	}
	for _, p := range r.tracees {
		if p.hello.PID != r.state.Pid() {
			t.Errorf("process %d, not %d", p.hello.PID, r.state.Pid())
		}
		if len(p.hello.Args) != 3 || p.hello.Args[1] != "exec" || filepath.Base(p.hello.Program) != "client" {
			t.Errorf("the hello says %s %q", p.hello.Program, p.hello.Args)
		}
	}
}

// The state that a process can observe of itself: its descriptors, its limit of open files, which Go raises where it
// starts, its signal handlers and masks, and all its output.
func TestProcessLooksTheSame(t *testing.T) {
	plain, err := client(t, "process").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := trace(t, client(t, "process"))
	// glibc catches signal 33, for setuid of all threads, from a process's second thread on; Metal makes threads anyway.
	got := regexp.MustCompile(`SigCgt:\t0000000100000000`).ReplaceAllString(r.stdout, "SigCgt:\t0000000000000000")
	if got != string(plain) || r.stderr != "" {
		t.Errorf("traced:\n%s%s\nuntraced:\n%s", r.stdout, r.stderr, plain)
	}
	traced := slices.ContainsFunc(r.tracees, func(p *tracee) bool { return p.region != nil })
	if !traced {
		t.Errorf("nothing was traced")
	}
}

// Regression: Go unblocks SIGCHLD, SIGPROF, SIGURG and SIGRTMIN on its own threads. The kernel gave them signals that
// the program blocks and waits for with sigwait, and it waited for ever.
func TestSignalsAreTheProgramsOwn(t *testing.T) {
	r := trace(t, client(t, "waits-for-signals", "10"))
	if want := strings.Repeat("10 of 10\n", 5); r.stdout != want || r.stderr != "" || !r.state.Success() {
		t.Errorf("SIGCHLD, SIGPROF, SIGURG, SIGRTMIN, SIGUSR1 arrived: %s%s%v", r.stdout, r.stderr, r.state)
	}
	if !slices.ContainsFunc(r.tracees, func(p *tracee) bool { return p.region != nil }) {
		t.Errorf("nothing was traced")
	}
}

// Under a limit of address space Go's runtime would end the program. It is not started; the collector reads the rings.
func TestLimitOfAddressSpace(t *testing.T) {
	r := trace(t, client(t, "little-memory", "1000"))
	r.compare(t)
	if !r.state.Success() || r.stderr != "" {
		t.Errorf("%v %s", r.state, r.stderr)
	}
}

// A daemon closes every descriptor it may have inherited, ours too, and reuses the numbers for its own files. The
// library reconnects if that was before the first Metal call, and stays silent if it was later; it never writes to a
// file that is not its own.
func TestProgramClosesAllDescriptors(t *testing.T) {
	r := trace(t, client(t, "closes-all", "2"))
	if !r.state.Success() || r.stderr != "" {
		t.Errorf("the program ended with %v\n%s", r.state, r.stderr)
	}
	var traced *tracee
	for _, p := range r.tracees {
		if p.region != nil {
			traced = p
		}
	}
	if traced == nil {
		t.Fatalf("the second connection was not made")
	}
}

// Without a collector, or with one that is gone, the program runs as if nothing were there.
func TestNoCollector(t *testing.T) {
	for name, socket := range map[string]string{"no variable": "", "nobody there": "/nonexistent/socket",
		"too long": "/" + strings.Repeat("x", 200)} {
		t.Run(name, func(t *testing.T) {
			cmd := client(t, "classes", "5")
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "MTRACE_SOCKET="+socket)
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Count(string(out), "\n") != 10 {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// A program without Metal gets neither threads nor memory from us, only a connection with a hello.
func TestProgramWithoutMetal(t *testing.T) {
	r := trace(t, exec.Command("/bin/sh", "-c", "grep -E '^Threads|^SigCgt' /proc/self/status; exit 7"))
	plain, _ := exec.Command("/bin/sh", "-c", "grep -E '^Threads|^SigCgt' /proc/self/status; exit 7").Output()
	if r.stdout != string(plain) || r.state.ExitCode() != 7 {
		t.Errorf("exit status %d, traced %q, untraced %q", r.state.ExitCode(), r.stdout, plain)
	}
	if len(r.tracees) != 2 {
		t.Errorf("%d programs said hello, not sh and grep", len(r.tracees))
	}
	for _, p := range r.tracees {
		if p.region != nil {
			t.Errorf("%s has shared memory", p.hello.Program)
		}
	}
}

// SIGKILL at a random moment, three threads recording: every call that had returned is in the trace, once and in order.
// The client counts its calls in a file, each after it has returned, so it may be one behind the trace and never ahead.
func TestKilled(t *testing.T) {
	times := 10
	if os.Getenv("MTRACE_LONG") != "" {
		times = 100
	}
	for round := range times {
		truth := filepath.Join(t.TempDir(), "truth")
		cmd := client(t, "endlessly", []string{"0", "20000"}[round%2], truth)
		r := traceWith(t, cmd, library(t), func(p *os.Process) {
			time.AfterFunc(time.Duration(20+rand.IntN(150))*time.Millisecond, func() { p.Kill() })
		})
		counted, err := os.ReadFile(truth)
		if err != nil || len(counted) < 3*64 || len(r.tracees) != 1 {
			continue // killed before it began, or between making the file of its counts and giving it its length
		}
		var got map[string]int
		dropped := uint64(0)
		if p := r.tracees[0]; p.region != nil {
			got = calls(p.events(t))
			for i := range p.rings {
				dropped += p.region.Ring(i).Dropped()
			}
		}
		lost := uint64(0)
		for i := range 3 {
			thread, returned := binary.LittleEndian.Uint64(counted[i*64:]), binary.LittleEndian.Uint64(counted[i*64+8:])
			recorded := uint64(got[fmt.Sprint(thread, " endEncoding")])
			if recorded > returned+1 {
				t.Errorf("round %d: thread %d: %d recorded, %d returned", round, thread, recorded, returned)
			}
			lost += max(returned, recorded) - recorded
		}
		// The drop count is one behind a record too, if the kill came between the two.
		if lost > dropped {
			t.Errorf("round %d: %d records are missing and only %d are counted as dropped", round, lost, dropped)
		}
	}
}

// Starting Go in other people's processes is where such libraries hang.
func TestManyStarts(t *testing.T) {
	starts, forks := 50, 200
	if n, err := strconv.Atoi(os.Getenv("MTRACE_STARTS")); err == nil {
		starts, forks = n, n
	}
	path, _ := listen(t)
	for i := range starts {
		cmd := client(t, "classes", "1")
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "MTRACE_SOCKET="+path)
		watchdog := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("start %d: %v\n%s", i, err, out)
		}
		watchdog.Stop()
	}
	r := trace(t, client(t, "fork", strconv.Itoa(forks)))
	r.compare(t)
	if got := r.tracees[0].region.Losses().Forks; got != uint64(forks) {
		t.Errorf("%d children were counted, not %d", got, forks)
	}
}

// A process may have limits that do not permit the shared memory. It runs untraced and the collector gets the reason;
// with a limit on file sizes an attempt would raise SIGXFSZ. The story of the third: the memory was mapped, took two
// thirds of the limit, and the program could not start its next thread. The torture test found it: a program that needs
// 900 MB alone ended with SIGABRT.
func TestLimits(t *testing.T) {
	for limit, says := range map[string]string{"-f 1000": "ulimit -f", "-v 500000": "ulimit -v",
		"-v 900000": "ulimit -v"} {
		t.Run(limit, func(t *testing.T) {
			program := client(t, "classes", "3")
			cmd := exec.Command("/bin/sh", "-c", "ulimit "+limit+" && exec "+program.Path+" classes 3")
			r := trace(t, cmd)
			if !r.state.Success() || strings.Count(r.stdout, "\n") != 10 || r.stderr != "" {
				t.Errorf("ended with %v\n%s%s", r.state, r.stdout, r.stderr)
			}
			said := false
			for _, p := range r.tracees {
				for _, f := range p.facts(t) {
					said = said || strings.Contains(f.Text, says)
				}
			}
			if !said {
				t.Errorf("no warning says %q", says)
			}
		})
	}
}

// A stillCollector accepts connections, sends nothing and reads nothing.
type stillCollector struct {
	listener net.Listener
	path     string
	accepted chan net.Conn
}

func standStill(t *testing.T) *stillCollector {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &stillCollector{l, path, make(chan net.Conn, 8)}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.accepted <- c
		}
	}()
	return s
}

// end does what the kernel does when a collector is killed.
func (s *stillCollector) end() {
	s.listener.Close()
	for {
		select {
		case c := <-s.accepted:
			c.Close()
		default:
			return
		}
	}
}

// flood starts a program that fills its ring many times over and is to wait when it is full. ended is closed at its
// end.
func flood(t *testing.T, scenario, socket string, env ...string) (ended chan struct{}) {
	t.Helper()
	cmd := client(t, scenario, "300000")
	cmd.Env = append(append(os.Environ(), "LD_PRELOAD="+library(t), "MTRACE_SOCKET="+socket, "MTRACE_ON_FULL=block"),
		env...)
	ended = make(chan struct{})
	var out []byte
	var err error
	go func() {
		out, err = cmd.CombinedOutput()
		close(ended)
	}()
	t.Cleanup(func() {
		select {
		case <-ended:
			if err != nil || strings.Count(string(out), "\n") != 5 {
				t.Errorf("ended with %v\n%s", err, out)
			}
		case <-time.After(2 * time.Minute):
			cmd.Process.Kill()
			<-ended
			t.Error("the program waits although nobody will read what it records")
		}
	})
	return ended
}

// The collector exits, or stands still for longer than the user permits: the program ends normally, although it was to
// wait for full rings.
func TestCollectorGoes(t *testing.T) {
	t.Run("closes", func(t *testing.T) {
		s := standStill(t)
		flood(t, "flood", s.path)
		time.Sleep(20 * time.Millisecond)
		s.end()
	})
	t.Run("stands still, with a limit", func(t *testing.T) {
		flood(t, "flood", standStill(t).path, "MTRACE_BLOCK_LIMIT_MS=200")
	})
}

// A collector that is stopped lives: the program waits for as long as that takes. It gave up after two seconds, and of
// a collector stopped for five, 4.2 million calls were lost although they were to block. It does not wait for one that
// is gone.
func TestBlockWaitsWhileTheCollectorLives(t *testing.T) {
	s := standStill(t)
	ended := flood(t, "flood", s.path)
	select {
	case <-ended:
		t.Error("the program did not wait for its collector")
	case <-time.After(4 * time.Second):
	}
	s.end()
}

// A program may close our connection while it runs, as daemons do. The collector still reads its rings, so the program
// waits for it. The program then notices the collector's end by its released lock.
func TestBlockWaitsWithoutConnection(t *testing.T) {
	s := standStill(t)
	lock, err := os.Create(s.path + ".lock")
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := flood(t, "flood-closed", s.path)
	select {
	case <-ended:
		t.Error("the program did not wait for its collector")
	case <-time.After(time.Second):
	}
	lock.Close()
}
