package relay

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mtrace/fixtures/schema"
)

var update = flag.Bool("update", false, "write the schemas anew")

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	for name, value := range map[string]any{requestSchema: schema.Either{request{}, answer{}}, noteSchema: note{}} {
		if err := schema.Compare("../..", name, "What the ends of a relay say to each other, or keep: docs/relay.md.", value,
			*update); err != nil {
			t.Error(err)
		}
	}
}

// The messages between a real sender and a real receiver, and the note that the receiver stores meanwhile, conform to
// the published schemas. A man in the middle that knows the token reads them. Once in a hundred runs it was cut off by
// a reset: the receiver closed the connection on the byte that permits closing, with the sender's end still to come.
func TestMessagesAreOfTheirSchemas(t *testing.T) {
	r := receive(t)
	var asked, note []byte
	var answers bytes.Buffer
	over := make(chan error, 1)
	address := posing(t, func(in *tls.Conn) { over <- hear(in, r, &asked, &note, &answers) })
	trace := record(t, send(t, address, 1<<20))
	trace.add(t, 1000)
	trace.end(t)
	trace.deliver(t, 2*time.Minute)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	check := func(name string, text []byte) {
		t.Helper()
		if err := schema.ValidateAs("../..", name, text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	check(requestSchema, asked)
	check(noteSchema, note)
	for line := range strings.Lines(answers.String()) {
		check(requestSchema, []byte(line))
	}
	if n := strings.Count(answers.String(), "\n"); n < 2 {
		t.Errorf("the receiver said %d lines: %s", n, &answers)
	}
}

// hear forwards the messages of a sender and a receiver, and keeps the request, the answers, and the receiver's note
// about the trace from before the first byte of it.
func hear(in *tls.Conn, r *receiving, asked, note *[]byte, answers *bytes.Buffer) error {
	if err := authenticate(in, testToken, false, patience); err != nil {
		return err
	}
	out, err := tls.Dial("tcp", r.Address(), senderTLS())
	if err != nil {
		return err
	}
	defer out.Close()
	if err := authenticate(out, testToken, true, patience); err != nil {
		return err
	}
	said, answered := bufio.NewReader(in), bufio.NewReader(io.TeeReader(out, answers))
	if *asked, err = readLine(said); err != nil {
		return err
	}
	if _, err := out.Write(append(*asked, '\n')); err != nil {
		return err
	}
	first, err := readLine(answered)
	if err != nil {
		return err
	}
	q, err := decodeRequest(*asked)
	if err != nil {
		return err
	}
	if *note, err = os.ReadFile(notePath(r.dir, q.Session)); err != nil {
		return err
	}
	if _, err := in.Write(append(first, '\n')); err != nil {
		return err
	}
	var ending atomic.Bool
	go func() {
		_, _ = io.Copy(out, said)          // the sender's end is what counts
		time.Sleep(100 * time.Millisecond) // in which a receiver that does not wait for that end has closed
		ending.Store(true)
		_ = out.CloseWrite()
	}()
	if _, err = io.Copy(in, answered); err == nil && !ending.Load() {
		err = errors.New("the receiver closed before the sender, whose last words then reset the connection")
	}
	return err
}
