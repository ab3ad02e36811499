package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// A boundSocket is a collector's socket, and its lock, before anybody listens.
type boundSocket struct {
	fd   int
	path string
	lock *os.File
}

func bindSocket(t *testing.T) *boundSocket {
	t.Helper()
	s := &boundSocket{path: filepath.Join(t.TempDir(), "s")}
	var err error
	if s.fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
		t.Cleanup(func() { unix.Close(s.fd) })
		err = unix.Bind(s.fd, &unix.SockaddrUnix{Name: s.path})
	}
	if err == nil {
		s.lock, err = os.Create(s.path + ".lock")
	}
	if err == nil {
		err = unix.Flock(int(s.lock.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.lock.Close() })
	return s
}

// fill listens with the smallest backlog and connects until no more can.
func (s *boundSocket) fill(t *testing.T) {
	t.Helper()
	if err := unix.Listen(s.fd, 0); err != nil {
		t.Fatal(err)
	}
	for {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		if err := unix.Connect(fd, &unix.SockaddrUnix{Name: s.path}); err == unix.EAGAIN {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a program that uses Metal with this for its collector, and checks that it sees nothing of that.
func (s *boundSocket) run(t *testing.T) (cmd *exec.Cmd) {
	t.Helper()
	return s.runWith(t, client(t, "classes", "3"))
}

func (s *boundSocket) runWith(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "MTRACE_SOCKET="+s.path)
	var out, errors strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil || strings.Count(out.String(), "\n") != 10 || errors.Len() > 0 {
		t.Errorf("ended with %v\n%s%s", err, out.String(), errors.String())
	}
	return cmd
}

// hellos listens, and counts the hellos of a program.
func (s *boundSocket) hellos(t *testing.T) (count chan int) {
	t.Helper()
	if err := unix.Listen(s.fd, 8); err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(must(unix.Dup(s.fd))(t)), "listener")
	l, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); file.Close() })
	count = make(chan int, 8)
	go func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h, err := wire.ReadFrameHeader(c)
			if err == nil && h.Kind == wire.FrameHello {
				count <- n
			}
			t.Cleanup(func() { c.Close() })
		}
	}()
	return count
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// If the queue of pending connections is full, macOS refuses a connection, as if nothing listened. Linux, too, refuses
// a connection while a socket is bound and not yet listened on. The lock next to the socket shows that a collector
// runs, and the connection is tried again.
func TestRefusedWhileTheCollectorLives(t *testing.T) {
	s := bindSocket(t)
	heard := make(chan chan int, 1)
	time.AfterFunc(300*time.Millisecond, func() { heard <- s.hellos(t) })
	s.run(t)
	select {
	case <-<-heard:
	case <-time.After(2 * time.Minute):
		t.Error("the program did not say hello")
	}
}

// Without a collector the program does not wait: neither with a leftover lock, nor without a lock.
func TestRefusedByNobody(t *testing.T) {
	for name, prepare := range map[string]func(*boundSocket){
		"the lock is free": func(s *boundSocket) { s.lock.Close() },
		"no lock":          func(s *boundSocket) { os.Remove(s.path + ".lock") },
	} {
		t.Run(name, func(t *testing.T) {
			s := bindSocket(t)
			prepare(s)
			cmd := s.run(t)
			// It would wait in the constructor and at the first Metal call, five seconds each; waiting is not processor time.
			if waited := cmd.ProcessState.SysUsage().(*syscall.Rusage); waited.Nvcsw > 200 {
				t.Errorf("it gave the processor away %d times", waited.Nvcsw)
			}
			if left, _ := filepath.Glob(s.path + ".word*"); len(left) > 0 {
				t.Errorf("left behind for nobody: %q", left)
			}
		})
	}
}

// A collector runs and accepts no connection. The program is not traced, and has no connection to report that: it once
// reported nothing at all.
func TestUnreachableCollectorIsToldSo(t *testing.T) {
	t.Parallel() // it waits ten seconds
	s := bindSocket(t)
	s.fill(t)
	cmd := s.run(t)
	words, _ := filepath.Glob(s.path + ".word.*")
	if len(words) != 1 || !strings.HasPrefix(filepath.Base(words[0]), "s.word."+strconv.Itoa(cmd.ProcessState.Pid())) {
		t.Fatalf("words %q", words)
	}
	if text, err := os.Readlink(words[0]); err != nil ||
		text != cmd.Path+"\nnot traced: the collector could not be reached" {
		t.Errorf("%v: %q", err, text)
	}
}

// The collector ended a connection whose program it presumed gone, and the program then makes its first Metal call: it
// sends its hello again.
func TestConnectsAgain(t *testing.T) {
	s := bindSocket(t)
	if err := unix.Listen(s.fd, 8); err != nil {
		t.Fatal(err)
	}
	second := make(chan chan int, 1)
	cmd := client(t, "told", "3")
	tell := must(cmd.StdinPipe())(t)
	go func() {
		defer tell.Close()
		fd, _, err := unix.Accept(s.fd)
		if err != nil {
			t.Error(err)
		}
		unix.Close(fd) // its hello is not even read
		second <- s.hellos(t)
		tell.Write([]byte("\n"))
	}()
	s.runWith(t, cmd)
	select {
	case <-<-second:
	case <-time.After(2 * time.Minute):
		t.Error("the program did not say hello again")
	}
}
