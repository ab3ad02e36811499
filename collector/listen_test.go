package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// A process that is done before its connection was accepted is in the trace all the same.
func TestConnectedBeforeServe(t *testing.T) {
	r := &recording{path: filepath.Join(t.TempDir(), "t.mtrace"), tb: t}
	w, err := tracefile.Create(r.path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Collector, err = New(Options{Writer: w}); err != nil {
		t.Fatal(err)
	}
	cmd, truth := task{Threads: 2, Calls: 1000, Drain: "no"}.start(t, r.Address())
	r.wait(cmd)
	trace, _ := r.finish()
	if len(trace.Processes()) != 1 {
		t.Fatalf("%d processes", len(trace.Processes()))
	}
	checkThreads(t, trace, 0, truth, 2, false)
	if end := trace.Processes()[0].End; !end.ExitKnown {
		t.Errorf("end %+v", end)
	}
}

// Only this user can reach the socket. If root records programs that may drop privileges, other users can reach it if
// they know its name, and must know the token, too: see TestUserGivenUp. The kernel shows the name to no user.
func TestPrivate(t *testing.T) {
	for _, token := range []wire.Token{{}, wire.NewToken()} {
		r := startWith(t, Options{Token: token})
		folder, socket := os.FileMode(0o700), os.FileMode(0o600)
		if !token.IsZero() && os.Getuid() == 0 {
			folder, socket = 0o711, 0o666
		}
		for path, want := range map[string]os.FileMode{filepath.Dir(r.Address()): folder, r.Address(): socket, r.Address() +
			lockEnding: 0o600} {
			if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != want {
				t.Errorf("%s: %v %v", path, stat.Mode(), err)
			}
		}
		if shown, err := os.ReadFile("/proc/net/unix"); err == nil &&
			bytes.Contains(shown, []byte(filepath.Base(r.Address()))) {
			t.Error("/proc/net/unix shows the socket's name")
		}
		r.finish()
		if _, err := os.Stat(filepath.Dir(r.Address())); !os.IsNotExist(err) {
			t.Errorf("the directory was left behind: %v", err)
		}
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Dir: open}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a directory open to others was taken: %v", err)
	}
	if _, err := New(Options{Dir: filepath.Join(t.TempDir(), strings.Repeat("x", 100))}); err == nil ||
		!strings.Contains(err.Error(), "longer than") {
		t.Errorf("a path too long for a socket: %v", err)
	}
}

// asNobody runs a line of Perl as another user, with the path of a socket.
func asNobody(t *testing.T, script, socket string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can act as another user")
	}
	cmd := exec.Command("perl", "-MIO::Socket::UNIX", "-MFile::Basename", "-e", script, socket)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("no perl to connect with")
	} else if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// The kernel reports the user of a connection; if the folder was named, another user's process is refused even if it
// reaches the socket.
func TestOtherUser(t *testing.T) {
	var log bytes.Buffer
	w, err := tracefile.Create(os.DevNull, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Dir: t.TempDir() + "/private", Writer: w, Log: zerolog.New(zerolog.SyncWriter(&log))})
	if err != nil {
		t.Fatal(err)
	}
	go c.Serve(context.Background())
	for path := c.Address(); path != os.TempDir(); path = filepath.Dir(path) {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, "my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!; <$s>", c.Address())
	result, err := c.Close()
	if err != nil || !strings.Contains(log.String(), "belongs to user 65534") || result.Refused != 1 ||
		result.Processes != 0 {
		t.Errorf("%v, log %q, %+v", err, log.String(), result)
	}
}

// A process that root starts may drop privileges before it connects to the collector. It could not connect, and its
// calls were lost silently (found by the torture test, seeds 1082 and 2219). In a folder of ours it can connect,
// because it knows the socket's name; a process that does not know the name cannot find it.
func TestUserGivenUp(t *testing.T) {
	t.Setenv("TMPDIR", "")
	r := startWith(t, Options{Token: wire.NewToken()})
	hello := append(r.listener.token.Frame(), wiretest.Frame(wire.FrameHello, 0, 0,
		wire.AppendHello(nil, wiretest.Hello()))...)
	asNobody(t, fmt.Sprintf(`opendir(my $d, dirname($ARGV[0])) and die "the folder can be listed";
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!; print $s pack("H*", "%x");`, hello), r.Address())
	trace, result := r.finish()
	if len(result.Warnings) > 0 || r.log.Len() > 0 {
		t.Errorf("warnings %q, log %s", result.Warnings, &r.log)
	}
	if processes := trace.Processes(); len(processes) != 1 {
		t.Errorf("%d processes are in the trace", len(processes))
	}
}

// A process that connects when the collector has run out of descriptors waits at the door. When none became free until
// the end its calls were lost in silence (found by the torture, seed 3149).
func TestNoDescriptorLeft(t *testing.T) {
	for _, limit := range []string{"but the spare one", "at all"} {
		// In a process of its own, in which no earlier test gives descriptors back.
		cmd := exec.Command(os.Args[0], "-test.run=^TestRunsOutOfDescriptors$", "-test.v")
		cmd.Env = append(os.Environ(), "COLLECTOR_DESCRIPTORS="+limit)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("no descriptor %s: %v\n%s", limit, err, out)
		}
	}
}

// TestRunsOutOfDescriptors is the other process of TestNoDescriptorLeft.
func TestRunsOutOfDescriptors(t *testing.T) {
	left := os.Getenv("COLLECTOR_DESCRIPTORS")
	if left == "" {
		t.Skip("a part of TestNoDescriptorLeft")
	}
	r := startRecording(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	limit := unix.Rlimit{Cur: 3, Max: before.Max}
	if left != "at all" {
		for limit.Cur < 100 { // all below it are taken
			file, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			limit.Cur = max(limit.Cur, uint64(file.Fd())+1)
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if left != "at all" { // a descriptor that was open for a moment meanwhile is free again: take it, too
		for refused := 0; refused < 3; time.Sleep(acceptPause) {
			if file, err := os.Open(os.DevNull); err == nil {
				t.Logf("descriptor %d became free", file.Fd())
				defer file.Close()
			} else {
				refused++
			}
		}
	}
	failed := errors.Join(unix.Connect(fd, &unix.SockaddrUnix{Name: r.Address()}),
		write(fd, wiretest.Frame(wire.FrameHello, 0, 0, wire.AppendHello(nil, wiretest.Hello()))))
	result, err := r.Close()
	unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	if failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	if result.Processes != 1 || len(result.Warnings) != 1 ||
		!strings.Contains(result.Warnings[0], "no free file descriptor") {
		t.Errorf("%+v", result)
	}
}

// Without free descriptors and without pending connections, no process is missing, and a process that connects while
// the recording ends is not reported as refused. Processes that kept connecting meanwhile were accepted until no
// descriptor was left, and thousands were reported as untraced.
func TestNobodyAtTheDoor(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = min(limit.Cur, 1000)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	for _, knock := range []struct{ times, visitors, first int }{{50, 1, 0}, {10, 16, 100}} {
		for range knock.times {
			r := startRecording(t)
			var knocked atomic.Int64
			var visitors sync.WaitGroup
			for range knock.visitors {
				visitors.Go(func() {
					for {
						conn, err := net.Dial("unix", r.Address())
						if err != nil {
							return
						}
						knocked.Add(1)
						conn.Close()
					}
				})
			}
			for knocked.Load() < int64(knock.first) {
				runtime.Gosched()
			}
			_, result := r.finish()
			visitors.Wait()
			if len(result.Warnings) > 0 {
				t.Fatalf("%d visitors knocked %d times, and of %d there is something to say: %.200q", knock.visitors,
					knocked.Load(), len(result.Warnings), result.Warnings[0])
			}
		}
	}
}

func write(fd int, b []byte) error {
	_, err := unix.Write(fd, b)
	return err
}

// The socket of a killed collector blocks nothing; a socket on which a collector listens does.
func TestPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	gone, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	gone.SetUnlinkOnClose(false)
	gone.Close()
	w, err := tracefile.Create(os.DevNull, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Path: path, Writer: w})
	if err != nil {
		t.Fatal(err)
	}
	if c.Address() != path {
		t.Errorf("address %s", c.Address())
	}
	if _, err := New(Options{Path: path}); err == nil ||
		!strings.Contains(err.Error(), "another collector listens there") {
		t.Errorf("two collectors on one socket: %v", err)
	}
	if _, err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Path: path}); err == nil {
		t.Error("a file that is no socket was replaced")
	}
}

// The recording may be ended repeatedly and at any moment: nothing hangs, and a connected process is in the trace or
// was never accepted.
func TestClosedAtAnyMoment(t *testing.T) {
	for range 50 {
		w, err := tracefile.Create(os.DevNull, tracefile.Info{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Options{Writer: w})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go c.Serve(ctx)
		go func() {
			if conn, err := wiretest.Dial(c.Address(), wiretest.Hello()); err == nil {
				conn.Close()
			}
		}()
		go cancel()
		for range 2 {
			if _, err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
