package relay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// known makes a connection that has proved that it knows the token.
func known(t *testing.T, address string) *tls.Conn {
	t.Helper()
	conn, err := tls.Dial("tcp", address, senderTLS())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := authenticate(conn, testToken, true, patience); err != nil {
		t.Fatal(err)
	}
	return conn
}

// posing listens as a receiver does, until the test ends, and leaves each connection to serve. It returns its address.
func posing(t *testing.T, serve func(*tls.Conn)) (address string) {
	t.Helper()
	config, err := receiverTLS()
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn.(*tls.Conn))
			}()
		}
	}()
	return l.Addr().String()
}

// refusedBy reads answers up to one with an error.
func refusedBy(t *testing.T, conn net.Conn) answer {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
	in := bufio.NewReader(conn)
	for {
		line, err := readLine(in)
		if err != nil {
			t.Fatalf("no reason was given: %v", err)
		}
		if a, err := decodeAnswer(line); err != nil || a.Error != "" {
			return a
		}
	}
}

// Two hundred and fifty-six silent connections once occupied all slots, and every mtrace run --collector failed for ten
// seconds without having started its program. Unauthenticated connections have slots of their own now, and lose them to
// newer ones, or after two seconds.
func TestIdleStrangers(t *testing.T) {
	t.Parallel() // it waits most of the time
	r := receive(t)
	var idle []net.Conn
	for range 300 {
		c, err := net.Dial("tcp", r.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	trace := record(t, send(t, r.Address(), 1<<30))
	trace.add(t, 1000)
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
	// A sender of a single byte now and then fares no better.
	slow, err := net.Dial("tcp", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	began := time.Now()
	for _, b := range []byte("\x16\x03\x01\x40\x00" + strings.Repeat("x", 1000)) {
		if _, err = slow.Write([]byte{b}); err != nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if took := time.Since(began); err == nil || took < strangerPatience/2 {
		t.Errorf("one that dribbles lost its place after %v: %v", took, err)
	}
	for _, c := range idle {
		c.SetReadDeadline(time.Now().Add(2 * time.Minute))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("one that is idle keeps its place")
		}
	}
	r.waitLog(t, "had not proved that they know the token")
}

// Senders that the receiver knows are not displaced by unknown ones, however many there are.
func TestFloodOfStrangers(t *testing.T) {
	r := receive(t)
	trace := record(t, send(t, r.Address(), 1<<30))
	stop := make(chan struct{})
	flooded := make(chan int)
	go func() {
		var open []net.Conn
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				for _, c := range open {
					c.Close()
				}
				flooded <- n
				return
			default:
			}
			if c, err := net.Dial("tcp", r.Address()); err == nil {
				if open = append(open, c); len(open) > 200 {
					open[0].Close()
					open = open[1:]
				}
			}
		}
	}()
	for range 20 {
		trace.add(t, 5000)
		time.Sleep(10 * time.Millisecond)
	}
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
	close(stop)
	if n := <-flooded; n < 200 {
		t.Errorf("only %d strangers came", n)
	}
	if strings.Contains(r.log.String(), "connection of a sender was lost") {
		t.Errorf("a known sender was displaced: %s", r.log.String())
	}
}

func TestWrongToken(t *testing.T) {
	r := receive(t)
	s, err := NewSender(SenderOptions{Address: r.Address(), Token: NewToken(), Name: "run", Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Discard()
	s.Start()
	trace := record(t, s)
	trace.add(t, 10)
	trace.end(t)
	began := time.Now()
	if err := s.Deliver(context.Background(), time.Minute); err == nil || !strings.Contains(err.Error(), "MTRACE_TOKEN") {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 50*time.Second {
		t.Errorf("it took %v to see that it is no use to wait", took)
	}
	r.waitLog(t, "does not know the token")
	if _, err := NewSender(SenderOptions{Address: r.Address(), Token: "short", Name: "run"}); err == nil ||
		!strings.Contains(err.Error(), "16 or more") {
		t.Errorf("%v", err)
	}
	if files := r.traces(t); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
}

// A man in the middle, with its own TLS on both sides, passes the proofs on and is refused.
func TestSomebodyInBetween(t *testing.T) {
	r := receive(t)
	address := posing(t, func(in *tls.Conn) {
		out, err := tls.Dial("tcp", r.Address(), senderTLS())
		if err != nil {
			return
		}
		defer out.Close()
		go io.Copy(out, in)
		io.Copy(in, out)
	})
	trace := record(t, send(t, address, 1<<20))
	trace.end(t)
	if err := trace.sender.Deliver(context.Background(), time.Minute); err == nil ||
		!strings.Contains(err.Error(), "token") {
		t.Errorf("%v", err)
	}
	r.waitLog(t, "does not know the token")
}

// A connection that does not speak the protocol is refused with a reason, and the next sender is served.
func TestStrangers(t *testing.T) {
	r := receive(t)
	for _, bytes := range []string{"GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", strings.Repeat("\x00\xff", 5000)} {
		plain, err := net.Dial("tcp", r.Address())
		if err != nil {
			t.Fatal(err)
		}
		plain.Write([]byte(bytes))
		plain.SetReadDeadline(time.Now().Add(2 * time.Minute))
		if _, err := io.Copy(io.Discard, plain); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%.20q is not refused", bytes)
		}
		plain.Close()
		r.waitLog(t, "refused")
	}
	session := strings.Repeat("0a", sessionDigits/2)
	request := func(q string) string { return `{"schema":"mtrace.relay/2",` + q + "}\n" }
	giant := append([]byte("\x89MTRACE\n\x01\x00\x00\x00"), 0, 0, 0, 0)
	for name, c := range map[string]struct{ bytes, want string }{
		"no request":     {"hello\n", "does not follow the protocol mtrace.relay/2"},
		"endless":        {strings.Repeat("x", 2*longestLine), "longer than"},
		"older protocol": {`{"schema":"mtrace.relay/1","name":"a"}` + "\n", "same version of mtrace on both ends"},
		"no session":     {request(`"name":"a"`), "no session"},
		"a path":         {request(`"name":"a","session":"../../../../../../../../etc/passwd"`), "no session"},
		"before all":     {request(`"name":"a","session":"` + session + `","first":-5`), "no position to continue from"},
		"what was lost": {request(`"name":"a","session":"` + strings.Repeat("0b", sessionDigits/2) + `","first":1000`),
			"another folder"},
		"not a trace": {request(`"name":"a","session":"`+session+`"`) + strings.Repeat("not a trace ", 100),
			"not an .mtrace file"},
		"a giant header": {request(`"name":"a","session":"`+session+`"`) + string(giant) + strings.Repeat("\xff", 100),
			"not an .mtrace file"},
		"changed session": {request(`"name":"a","session":"` + strings.ToUpper(session) + `"`), "no session"},
	} {
		conn := known(t, r.Address())
		conn.Write([]byte(c.bytes))
		if a := refusedBy(t, conn); !strings.Contains(a.Error, c.want) || strings.Contains(name, "lost") == a.Never {
			t.Errorf("%s: %+v", name, a)
		}
		conn.Close()
		r.waitLog(t, c.want)
	}
	trace := record(t, send(t, r.Address(), 1<<20))
	trace.add(t, 10)
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
}

// A receiver that does not speak the protocol costs neither the program nor the trace anything: the trace is kept, and
// the reason reported.
func TestHostileReceiver(t *testing.T) {
	for name, c := range map[string]struct {
		says string
		want string
	}{
		"random bytes":    {"\x00\xff\x13\n", "does not follow the protocol mtrace.relay/2"},
		"an endless line": {strings.Repeat("x", 3*longestLine), "longer than"},
		"a whole trace": {`{"have":0}` + "\n" + `{"have":16,"whole":true,"path":"/etc/passwd"}` + "\n",
			"ends after 16 bytes"},
		"more than was":    {`{"have":1000000000000}` + "\n", "claims to have 1000000000000 bytes"},
		"less than zero":   {`{"have":-1}` + "\n", "claims to have -1 bytes"},
		"its data is lost": {`{"have":0}` + "\n" + `{"error":"the disk is gone","never":true}` + "\n", "the disk is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			address := posing(t, func(conn *tls.Conn) {
				if authenticate(conn, testToken, false, patience) == nil {
					conn.Write([]byte(c.says))
					io.Copy(io.Discard, conn)
				}
			})
			trace := record(t, send(t, address, 1<<30))
			trace.add(t, 1000)
			trace.end(t)
			if err := trace.sender.Deliver(context.Background(), time.Minute); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			checkSaved(t, trace)
		})
	}
}

// checkSaved checks that the undelivered trace is complete in a file of its own.
func checkSaved(t *testing.T, r *recording) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "saved.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := r.sender.Save(file)
	file.Close()
	if err != nil || elsewhere != 0 {
		t.Fatalf("%d bytes elsewhere, %v", elsewhere, err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || !bytes.Equal(text, r.sent.Bytes()) {
		t.Errorf("the saved trace has %d bytes, %d were written: %v", len(text), r.sent.Len(), err)
	}
}

// A sender that reconnects with the session of a trace continues it, and there is one trace: the earlier connection is
// dropped, and a trace that is complete is not received again. A sender without the token cannot connect at all, and
// bytes of one connection are useless on another.
func TestReplayedSession(t *testing.T) {
	r := receive(t)
	var recorded bytes.Buffer
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // records the sender's bytes, as an eavesdropper could
		in, err := l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.Address())
		if err != nil {
			return
		}
		go io.Copy(in, out)
		io.Copy(out, io.TeeReader(in, &recorded))
	}()
	trace := record(t, send(t, l.Addr().String(), 1<<30))
	trace.add(t, 1000)
	trace.end(t)
	// The receiver's message that the trace is complete is lost: the note stays, and the sender asks again.
	conn := known(t, r.Address())
	q := encode(request{requestSchema, "run", trace.sender.session, 0})
	trace.deliver(t, 2*time.Minute)
	conn.Write(q)
	first := bufio.NewReader(conn)
	if line, err := readLine(first); err != nil || !bytes.Contains(line, []byte(`"have":`)) {
		t.Errorf("%s %v", line, err)
	}
	replay, err := net.Dial("tcp", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer replay.Close()
	replay.Write(recorded.Bytes())
	replay.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if _, err := io.Copy(io.Discard, replay); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a recorded connection is accepted again")
	}
	r.waitLog(t, "refused")
	if text, err := os.ReadFile(trace.sender.Path()); err != nil || !bytes.Equal(text, trace.sent.Bytes()) {
		t.Errorf("the trace is not what it was: %v", err)
	}
}

// The folder disappears under the receiver: the sender gets an error, tries again, and keeps the trace.
func TestReceiverCannotWrite(t *testing.T) {
	r := receive(t)
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	trace := record(t, send(t, r.Address(), 1<<30))
	trace.add(t, 10)
	trace.end(t)
	if err := trace.sender.Deliver(context.Background(), 300*time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
	checkSaved(t, trace)
}

// A trace that is removed while it is received is not reported as delivered.
func TestRemovedWhileReceived(t *testing.T) {
	r := receive(t)
	trace := record(t, send(t, r.Address(), 1<<30))
	trace.add(t, 10)
	for confirmed := int64(0); confirmed < trace.Size(); confirmed, _, _ = trace.sender.progress() {
		time.Sleep(time.Millisecond)
	}
	if err := os.Remove(filepath.Join(r.dir, "run.mtrace")); err != nil {
		t.Fatal(err)
	}
	trace.end(t)
	err := trace.sender.Deliver(context.Background(), time.Minute)
	if err == nil { // it was sent again, whole
		trace.deliver(t, time.Minute)
	} else {
		checkSaved(t, trace)
	}
	r.waitLog(t, "was removed while it was received")
}
