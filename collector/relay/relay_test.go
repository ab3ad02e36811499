package relay

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
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

func receive(t *testing.T) *receiving {
	t.Helper()
	r := &receiving{token: NewToken(), dir: t.TempDir(), log: &syncBuffer{}, done: make(chan string, 10)}
	var err error
	r.Receiver, err = NewReceiver(ReceiverOptions{Address: "127.0.0.1:0", Token: r.token, Dir: r.dir, Log: zerolog.New(r.log),
		Received: func(path string, whole bool) { r.done <- fmt.Sprint(filepath.Base(path), " ", whole) }})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- r.Serve(context.Background()) }()
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *receiving) wait(t *testing.T) string {
	t.Helper()
	select {
	case s := <-r.done:
		return s
	case <-time.After(10 * time.Second):
		t.Fatal("no trace came")
		return ""
	}
}

// waitLog waits until the log says something.
func (r *receiving) waitLog(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(r.log.String(), want); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say %q: %s", want, r.log.String())
		}
	}
}

// write writes a trace of n records.
func write(t *testing.T, to io.WriteCloser, n int) (*tracefile.Writer, error) {
	t.Helper()
	w, err := tracefile.NewWriter(to, tracefile.Info{Tool: "test"})
	if err != nil {
		return nil, err
	}
	p := w.AddProcess(wire.Hello{PID: 9, Program: "p"})
	for i := range n {
		if err := w.Records(p, 0, uint64(i), []wire.Record{{Begin: wire.Ticks(i), End: wire.Ticks(i), Call: 48}}); err != nil {
			return w, err
		}
	}
	return w, w.Flush()
}

func TestRelay(t *testing.T) {
	r := receive(t)
	for i, want := range []string{"run.mtrace true", "run-2.mtrace true"} {
		s, err := Dial(context.Background(), r.Address(), r.token, "run")
		if err != nil {
			t.Fatal(err)
		}
		w, err := write(t, s, 100_000)
		if err == nil {
			err = w.Close(tracefile.Result{Finished: 5})
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := r.wait(t); got != want {
			t.Errorf("trace %d: %q, want %q", i, got, want)
		}
		trace, err := tracefile.Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if cut, _ := trace.Truncated(); cut || trace.Streams()[0].Records != 100_000 || trace.Size() != w.Size() {
			t.Errorf("trace %d: cut %v, %+v", i, cut, trace.Streams())
		}
		trace.Close()
	}
	if log := r.log.String(); log != "" {
		t.Error(log)
	}
}

// A sender that is gone leaves what it had flushed, as a trace that was cut.
func TestSenderGone(t *testing.T) {
	r := receive(t)
	s, err := Dial(context.Background(), r.Address(), r.token, "run")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := write(t, s, 1000); err != nil {
		t.Fatal(err)
	}
	s.conn.NetConn().Close()
	if got := r.wait(t); got != "run.mtrace false" {
		t.Errorf("%q", got)
	}
	trace, err := tracefile.Open(filepath.Join(r.dir, "run.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if cut, _ := trace.Truncated(); !cut || trace.Streams()[0].Records != 1000 {
		t.Errorf("cut %v, %+v", cut, trace.Streams())
	}
}

func TestWrongToken(t *testing.T) {
	r := receive(t)
	if _, err := Dial(context.Background(), r.Address(), NewToken(), "run"); err == nil || !strings.Contains(err.Error(), "MTRACE_TOKEN") {
		t.Errorf("%v", err)
	}
	r.waitLog(t, "does not know the token")
	if _, err := Dial(context.Background(), r.Address(), "short", "run"); err == nil || !strings.Contains(err.Error(), "16 or more") {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(r.dir); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
}

// Somebody between the two, with TLS of his own on both sides, passes the proofs on and gets nowhere.
func TestSomebodyInBetween(t *testing.T) {
	r := receive(t)
	config, err := receiverTLS()
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		in, err := l.Accept()
		if err != nil {
			return
		}
		defer in.Close()
		out, err := tls.Dial("tcp", r.Address(), senderTLS())
		if err != nil {
			return
		}
		defer out.Close()
		go io.Copy(out, in)
		io.Copy(in, out)
	}()
	if _, err := Dial(context.Background(), l.Addr().String(), r.token, "run"); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("%v", err)
	}
	r.waitLog(t, "does not know the token")
}

// What does not speak the protocol is refused with a reason, and the next sender is served.
func TestStrangers(t *testing.T) {
	r := receive(t)
	plain, err := net.Dial("tcp", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	plain.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	io.Copy(io.Discard, plain)
	plain.Close()
	r.waitLog(t, "refused")
	for name, c := range map[string]struct{ bytes, want string }{
		"no request":     {"hello\n", "not one of mtrace.relay/1"},
		"endless":        {strings.Repeat("x", 2*longestRequest), "longer than"},
		"not a trace":    {`{"schema":"mtrace.relay/1","name":"a"}` + "\n" + strings.Repeat("not a trace ", 100), "not an .mtrace file"},
		"older protocol": {`{"schema":"mtrace.relay/0","name":"a"}` + "\n", "not one of"},
	} {
		conn, err := tls.Dial("tcp", r.Address(), senderTLS())
		if err != nil {
			t.Fatal(err)
		}
		if err := authenticate(conn, r.token, true); err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte(c.bytes))
		s := Sender{conn: conn}
		if _, err := s.hear(10 * time.Second); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		conn.Close()
		r.waitLog(t, c.want)
	}
	s, err := Dial(context.Background(), r.Address(), r.token, "good")
	if err != nil {
		t.Fatal(err)
	}
	w, err := write(t, s, 10)
	if err == nil {
		err = w.Close(tracefile.Result{})
	}
	if err != nil {
		t.Error(err)
	}
}

// The folder disappears under the receiver: the sender is told, its recording ends with that error.
func TestReceiverCannotWrite(t *testing.T) {
	r := receive(t)
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	s, err := Dial(context.Background(), r.Address(), r.token, "run")
	if err == nil {
		var w *tracefile.Writer
		if w, err = write(t, s, 10); err == nil {
			err = w.Close(tracefile.Result{})
		}
	}
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		"run": "run", "../../etc/passwd": "etc-passwd", "": "trace", "...": "trace", "a b\x00c\n": "a-b-c-", ".hidden": "hidden",
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
