package collector

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// nobody is the id of a user as which no test runs.
const nobody = 65534

// A process of another user is part of the trace if it knows the token, as a program that has given up its user does,
// and nothing at all if it does not: it is neither counted nor believed.
func TestProcessesOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can act as another user")
	}
	t.Setenv("TMPDIR", "")
	token := wire.NewToken()
	for name, c := range map[string]struct {
		sent   wire.Token
		traced int
	}{
		"with the token": {token, 1}, "without one": {wire.Token{}, 0}, "with another": {wire.NewToken(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := startWith(t, Options{Token: token})
			cmd, truth := task{Threads: 1, Calls: 1000, Drain: "no", Token: c.sent, user: nobody}.start(t, r.Address())
			r.wait(cmd)
			trace, result := r.finish()
			if len(trace.Processes()) != c.traced || result.Processes != c.traced || result.Refused != uint64(1-c.traced) ||
				result.Lost != 0 {
				t.Errorf("%d processes in the trace, %+v, log %s", len(trace.Processes()), result, &r.log)
			}
			if c.traced > 0 {
				checkThreads(t, trace, 0, truth, 1, false)
			}
		})
	}
}

// Silent connections of another user take no descriptors from the program's processes: with a thousand of them there
// was none left.
func TestSilentConnectionsOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can act as another user")
	}
	t.Setenv("TMPDIR", "")
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = 500
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	r := startWith(t, Options{Token: wire.NewToken()})
	task{Silent: 1100, user: nobody}.start(t, r.Address())
	for deadline := time.Now().Add(time.Minute); r.refused.Total() < 1000; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("only %d connections were refused", r.refused.Total())
		}
	}
	own, ownTruth := task{Threads: 1, Calls: 1000, Drain: "no", Token: r.listener.token}.start(t, r.Address())
	other, otherTruth := task{Threads: 1, Calls: 1000, Drain: "no", Token: r.listener.token, user: nobody}.start(t,
		r.Address())
	r.wait(own)
	r.wait(other)
	trace, result := r.finish()
	if len(trace.Processes()) != 2 || result.Refused < 1000 || result.Lost != 0 {
		t.Fatalf("%d processes in the trace, %+v", len(trace.Processes()), result)
	}
	for i, p := range trace.Processes() {
		truth := ownTruth
		if p.PID == other.Process.Pid {
			truth = otherTruth
		}
		checkThreads(t, trace, tracefile.ProcessIndex(i), truth, 1, false)
	}
}

// A process that sends its hello, passes on its memory and ends before it is accepted is in the trace, with its
// records. macOS does not return the process of such a connection (ENOTCONN): it was refused, and counted as a process
// 0 that was not traced. A process that ends before its hello is not counted.
func TestPeerThatIsGone(t *testing.T) {
	r := &recording{path: filepath.Join(t.TempDir(), "t.mtrace"), tb: t}
	w, err := tracefile.Create(r.path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Collector, err = New(Options{Writer: w}); err != nil {
		t.Fatal(err)
	}
	kernel := r.listener.peers.process
	r.listener.peers.process = func(fd int) (int, error) {
		if n, _, err := unix.Recvfrom(fd, make([]byte, 1<<16), unix.MSG_PEEK|unix.MSG_DONTWAIT); n >= 0 && err == nil &&
			hungUp(fd) {
			return 0, unix.ENOTCONN
		}
		return kernel(fd)
	}
	cmd, truth := task{Threads: 2, Calls: 1000, Drain: "no"}.start(t, r.Address())
	r.wait(cmd)
	for range 2 {
		conn, err := net.Dial("unix", r.Address())
		if err != nil {
			t.Fatal(err)
		}
		conn.Write(wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, wiretest.Hello()))[:30])
		conn.Close()
	}
	go r.Serve(t.Context())
	trace, result := r.finish()
	if len(trace.Processes()) != 1 || trace.Processes()[0].PID != cmd.Process.Pid || len(result.Warnings) > 0 {
		t.Fatalf("%d processes in the trace, warnings %q", len(trace.Processes()), slices.Clone(result.Warnings))
	}
	checkThreads(t, trace, 0, truth, 2, false)
	if end := trace.Processes()[0].End; !end.ExitKnown || end.Running || end.Note != "" {
		t.Errorf("end %+v", end)
	}
}

// hungUp reports whether the other end of a socket was closed.
func hungUp(fd int) bool {
	polled := []unix.PollFd{{Fd: int32(fd)}}
	unix.Poll(polled, 0)
	return polled[0].Revents&unix.POLLHUP != 0
}
