package tracefile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// assembled returns the opened result of Assemble for the parts.
func assembled(t *testing.T, note string, parts ...[]byte) *Reader {
	t.Helper()
	var readers []io.Reader
	for _, p := range parts {
		readers = append(readers, bytes.NewReader(p))
	}
	var out bytes.Buffer
	if err := Assemble(&out, io.MultiReader(readers...), note); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "assembled.mtrace")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// The parts of a trace give the same trace. If the records of the first part are gone, the trace lacks just those.
func TestAssemble(t *testing.T) {
	path, streams := writeSmall(t, true)
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	records := func(r *Reader) (n uint64) {
		for _, s := range r.Streams() {
			n += s.Records
		}
		return n
	}
	want := uint64(0)
	for _, s := range streams {
		want += uint64(len(s))
	}
	for _, b := range whole.blocks[1:] {
		first, second := all[:b.offset], all[b.offset:]
		same := assembled(t, "", first, second)
		if n := records(same); n != want {
			t.Fatalf("parts at byte %d: %d records of %d", b.offset, n, want)
		}
		var kept bytes.Buffer
		if err := WithoutRecords(&kept, bytes.NewReader(first)); err != nil {
			t.Fatal(err)
		}
		gone := uint64(0)
		for _, a := range whole.blocks {
			if a.kind == blockRecords && a.offset < b.offset {
				gone += uint64(a.count)
			}
		}
		rest := assembled(t, "the first part is elsewhere", kept.Bytes(), second)
		n := records(rest)
		if cut, _ := rest.Truncated(); cut || n != want-gone {
			t.Fatalf("without the %d records before byte %d: cut %v, %d records", gone, b.offset, cut, n)
		}
		if result, _ := rest.Result(); !strings.Contains(result.Note, "the first part is elsewhere") {
			t.Fatalf("%+v", result)
		}
		if len(rest.Processes()) != len(whole.Processes()) ||
			len(rest.Processes()[0].Strings) != len(whole.Processes()[0].Strings) {
			t.Fatal("blocks without records are gone too")
		}
	}
	if cut, _ := assembled(t, "", all[:len(all)-300]).Truncated(); !cut {
		t.Error("a trace without an end is not cut")
	}
}

// A boundedFile has room for so many bytes of records.
type boundedFile struct {
	*os.File
	room int
}

func (b *boundedFile) Room(n int) error {
	if b.room -= n; b.room < 0 {
		return errors.New("it is full")
	}
	return nil
}

// Records without space are left out, counted and reported; the rest of the trace is complete.
func TestNoRoomForRecords(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "t.mtrace"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(&boundedFile{file, 20000}, testInfo)
	if err != nil {
		t.Fatal(err)
	}
	p := w.AddProcess(testHello(9))
	records := workload(200, 1)
	for i := range 200 {
		if err := w.Records(p, 0, uint64(i*len(records)), records); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			w.Flush()
		}
	}
	published := uint64(200 * len(records))
	if err := w.EndProcess(p, End{Rings: []RingEnd{{Ring: 0, Head: published}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(Result{}); err != nil {
		t.Fatal(err)
	}
	left, why := w.LeftOut()
	r, err := Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	result, _ := r.Result()
	s := r.Streams()[0]
	if left == 0 || why.Error() != "it is full" || s.Records+left != published || s.Missing != left ||
		!strings.Contains(result.Note, "records were left out: it is full") {
		t.Errorf("%d left out, %v; %d in the trace and %d missing of %d; %+v", left, why, s.Records, s.Missing, published,
			result)
	}
	if err := r.Read(s, func([]wire.Record) error { return nil }); err != nil {
		t.Error(err)
	}
}

func FuzzAssemble(f *testing.F) {
	path, _ := writeSmall(f, true)
	all, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(all, all)
	f.Add(all[:200], all[200:])
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var kept, out bytes.Buffer
		if err := WithoutRecords(&kept, bytes.NewReader(first)); err != nil {
			t.Fatal(err)
		}
		Assemble(&out, io.MultiReader(&kept, bytes.NewReader(second)), "note")
		if out.Len() > len(first)+len(second)+1<<16 {
			t.Fatalf("%d bytes were made of %d", out.Len(), len(first)+len(second))
		}
	})
}
