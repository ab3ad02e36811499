package relay

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A receiving is a Receiver at work in a test.
type receiving struct {
	*Receiver
	token string
	dir   string
	log   *syncBuffer
	done  chan string // paths, of traces received
	end   func()      // closes it
}

type syncBuffer struct {
	mutex sync.Mutex
	b     bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.b.String()
}

const testToken = "the token of these tests"

// TestMain keeps the spools of the tests out of the user's folders; or it is the process that TestSweep kills.
func TestMain(m *testing.M) {
	if os.Getenv("MTRACE_TEST_SPOOL") != "" {
		spoolAndWait()
	}
	dir, err := os.MkdirTemp("", "relay-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", dir)
	os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	flag.Parse()
	flag.Set("test.parallel", "8") // tests that run in parallel wait most of the time, however many processors there are
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func receive(t *testing.T) *receiving { return receiveAt(t, "127.0.0.1:0", t.TempDir()) }

func receiveAt(t *testing.T, address, dir string) *receiving {
	t.Helper()
	r := &receiving{token: testToken, dir: dir, log: &syncBuffer{}, done: make(chan string, 10)}
	var err error
	r.Receiver, err = NewReceiver(ReceiverOptions{Address: address, Token: r.token, Dir: r.dir, Log: zerolog.New(r.log),
		Received: func(path string, whole bool) { r.done <- fmt.Sprint(filepath.Base(path), " ", whole) }})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(context.Background()) }()
	r.end = sync.OnceFunc(func() {
		if err := errors.Join(r.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.end)
	return r
}

// send makes a sender to an address that has begun.
func send(t *testing.T, address string, limit int64) *Sender {
	t.Helper()
	s, err := NewSender(SenderOptions{Address: address, Token: testToken, Name: "run", Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Discard)
	s.Start()
	return s
}

// A recording is a trace that is being written, of one process with one ring; its bytes are kept, to compare with the
// delivered ones.
type recording struct {
	*tracefile.Writer
	sender  *Sender
	process tracefile.ProcessIndex
	next    uint64
	sent    bytes.Buffer // guarded by the writer
}

// kept is the sender's stream, with a copy.
type kept struct {
	*Sender
	copy *bytes.Buffer
}

func (k kept) Write(b []byte) (int, error) {
	k.copy.Write(b)
	return k.Sender.Write(b)
}

func record(t *testing.T, s *Sender) *recording {
	t.Helper()
	r := &recording{sender: s}
	var err error
	if r.Writer, err = tracefile.NewWriter(kept{s, &r.sent}, tracefile.Info{Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	r.process = r.AddProcess(wire.Hello{PID: 9, Program: "p"})
	return r
}

// add writes n records that do not compress well, and a fact now and then.
func (r *recording) add(t *testing.T, n int) {
	t.Helper()
	for range n {
		x := wire.Ticks(r.next*2862933555777941757 + 3037000493)
		record := wire.Record{Begin: x >> 8, End: x, Arg: uint64(x), Call: 48}
		if err := r.Records(r.process, 0, r.next, []wire.Record{record}); err != nil {
			t.Fatal(err)
		}
		if r.next++; r.next%5000 == 0 {
			text := fmt.Sprint("fact ", r.next)
			if err := r.Facts(r.process, []wire.Fact{{Kind: wire.FactString, Key: uint64(wire.HashString(text)),
				Text: text}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
}

// end ends the trace.
func (r *recording) end(t *testing.T) {
	t.Helper()
	if err := r.EndProcess(r.process, tracefile.End{Rings: []tracefile.RingEnd{{Ring: 0, Head: r.next}}}); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(tracefile.Result{Finished: 5}); err != nil {
		t.Fatal(err)
	}
}

// deliver waits until the receiver has the trace, and checks that it equals the written one.
func (r *recording) deliver(t *testing.T, wait time.Duration) {
	t.Helper()
	if err := r.sender.Deliver(context.Background(), wait); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(r.sender.Path())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, r.sent.Bytes()) {
		t.Errorf("%s has %d bytes, %d were written, and they are not the same", r.sender.Path(), len(got), r.sent.Len())
	}
	if cut, n := recordsIn(t, r.sender.Path()); cut || uint64(n) != r.next {
		t.Errorf("cut %v, %d records of %d", cut, n, r.next)
	}
}

// recordsIn is how many records can be read in a trace.
func recordsIn(t *testing.T, path string) (cut bool, n int) {
	t.Helper()
	trace, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for _, s := range trace.Streams() {
		if err := trace.Read(s, func(records []wire.Record) error { n += len(records); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	cut, _ = trace.Truncated()
	return cut, n
}

func (r *receiving) wait(t *testing.T) string {
	t.Helper()
	select {
	case s := <-r.done:
		return s
	case <-time.After(3 * time.Minute):
		t.Fatal("no trace came")
		return ""
	}
}

// waitLog waits until the log says something.
func (r *receiving) waitLog(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); !strings.Contains(r.log.String(), want); time.Sleep(
		time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say %q: %s", want, r.log.String())
		}
	}
}

// traces returns the names of the files in the receiver's folder.
func (r *receiving) traces(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRelay(t *testing.T) {
	r := receive(t)
	for i, want := range []string{"run.mtrace true", "run-2.mtrace true"} {
		trace := record(t, send(t, r.Address(), 1<<30))
		trace.add(t, 100_000)
		trace.end(t)
		trace.deliver(t, 2*time.Minute)
		if got := r.wait(t); got != want {
			t.Errorf("trace %d: %q, want %q", i, got, want)
		}
		trace.sender.Discard()
		if _, err := os.Stat(trace.sender.Dir()); !os.IsNotExist(err) {
			t.Errorf("the spool is left: %v", err)
		}
	}
	if log := r.log.String(); log != "" {
		t.Error(log)
	}
	for deadline := time.Now().Add(2 * time.Minute); len(r.traces(t)) != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("notes of finished traces stay: %q", r.traces(t))
		}
	}
}

// A sender that is gone for good leaves its sent part as a cut trace; it is named when the receiver ends.
func TestSenderGone(t *testing.T) {
	r := receive(t)
	trace := record(t, send(t, r.Address(), 1<<30))
	trace.add(t, 1000)
	for confirmed := int64(0); confirmed < int64(trace.Size()); confirmed, _, _ = trace.sender.progress() {
		time.Sleep(time.Millisecond)
	}
	trace.sender.Discard()
	r.waitLog(t, "connection of a sender was lost")
	r.end()
	if got := r.wait(t); got != "run.mtrace false" {
		t.Errorf("%q", got)
	}
	if cut, n := recordsIn(t, filepath.Join(r.dir, "run.mtrace")); !cut || n != 1000 {
		t.Errorf("cut %v, %d records", cut, n)
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"run": "run", "../../etc/passwd": "etc-passwd", "": "trace", "...": "trace", "a b\x00c\n": "a-b-c-",
		".hidden":                "hidden",
		strings.Repeat("x", 500): strings.Repeat("x", longestName), "python3.11-77": "python3.11-77",
	} {
		if got := cleanName(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"unix:/tmp/s": "unix /tmp/s", "tcp://h:80": "tcp h:80", "tcp://[::1]:80": "tcp [::1]:80", "tcp://:80": "tcp :80",
		"unix:": "", "tcp://h": "", "h:80": "", "": "", "http://h:80": "", "tcp://h:": "",
	} {
		network, address, err := ParseAddress(in)
		if got := network + " " + address; want == "" && err == nil || want != "" && got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
}
