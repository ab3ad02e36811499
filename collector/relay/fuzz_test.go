package relay

import (
	"bufio"
	"bytes"
	"path/filepath"
	"testing"
)

// Any first message of a sender is a valid request, or is refused.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"schema":"mtrace.relay/2","name":"../a","session":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","first":5}` +
		"\n"))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		line, err := readLine(bufio.NewReaderSize(bytes.NewReader(data), 16))
		if err != nil {
			return
		}
		if len(line) > longestLine || bytes.IndexByte(line, '\n') >= 0 {
			t.Fatalf("a line of %d bytes", len(line))
		}
		q, err := decodeRequest(line)
		if err != nil {
			return
		}
		if name := cleanName(q.Name); name != filepath.Base(name) || name == "" || name[0] == '.' || len(name) > longestName {
			t.Fatalf("a file would be called %q", name)
		}
		if path := notePath("d", q.Session); filepath.Dir(path) != "d" || q.First < 0 {
			t.Fatalf("%+v", q)
		}
		if again, err := decodeRequest(encode(q)); err != nil || again != q {
			t.Fatalf("%+v becomes %+v: %v", q, again, err)
		}
	})
}

// Whatever a receiver sends, the sender still has the trace, or knows that it was delivered.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"have":100}`), int64(100))
	f.Add([]byte(`{"have":200,"whole":true,"path":"/x"}`), int64(200))
	f.Add([]byte(`{"error":"no","never":true}`), int64(0))
	f.Fuzz(func(t *testing.T, line []byte, written int64) {
		a, err := decodeAnswer(line)
		if err != nil {
			return
		}
		s := &Spool{files: []spoolFile{{start: min(written, 100)}}, written: written}
		if err := s.confirm(a.Have); err == nil && (s.confirmed < s.first() || s.confirmed > written) {
			t.Fatalf("%d of %d bytes are confirmed", s.confirmed, written)
		}
		if s.endsAt(a.Have) {
			t.Fatal("a trace has ended that has not")
		}
	})
}

// Whatever is in a note leads to a file of the same folder, or nowhere.
func FuzzNote(f *testing.F) {
	f.Add([]byte(`{"schema":"mtrace.relay-note/1","session":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","file":"run.mtrace"}`))
	f.Add([]byte(`{"schema":"mtrace.relay-note/1","session":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","file":"../../x.mtrace"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := decodeNote(data)
		if err == nil && (filepath.Dir(filepath.Join("d", n.File)) != "d" || filepath.Dir(notePath("d", n.Session)) != "d") {
			t.Fatalf("%+v", n)
		}
	})
}
