package tracefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

var testInfo = Info{Tool: "test", Command: []string{"a", "b c"}, Host: "h", OS: "linux", Arch: "amd64", Started: 42}

func testHello(pid int) wire.Hello {
	return wire.Hello{Version: wire.Version, PID: pid, PPID: 1, Program: "/bin/p", Args: []string{"p", "-x"}, Host: "h",
		OS: "linux", Arch: "amd64", Started: 7}
}

var (
	testStack = wire.Stack{Native: []uint64{0x401136}, Python: []wire.PythonFrame{{Function: 1, File: 2, Line: 3}},
		CutPython: true}
	testImage = wire.Image{Start: 0x400000, Size: 0x2000, BuildID: "ab", Path: "/bin/p q"}
)

// writeSmall writes a trace of two processes with records of every kind, closed or not, and returns its path and the
// content of the streams.
func writeSmall(t testing.TB, closed bool) (string, map[streamKey][]wire.Record) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	w, err := Create(path, testInfo)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	streams := map[streamKey][]wire.Record{}
	for p := range ProcessIndex(2) {
		if got := w.AddProcess(testHello(100 + int(p))); got != p {
			t.Fatalf("process %d is numbered %d", p, got)
		}
		check(w.Region(p, wire.ClockTSC, 0, 0))
		check(w.Samples(p, []wire.ClockSample{{Ticks: 4000, Nanos: 2000e6}, {Ticks: 1000, Nanos: 1000e6}}))
		check(w.Facts(p, []wire.Fact{
			{Kind: wire.FactString, Key: uint64(wire.HashString("axpy")), Text: "axpy"},
			{Kind: wire.FactString, Key: uint64(wire.HashString("axpy")), Text: "axpy"},
			{Kind: wire.FactClass, Key: 3, Aux: uint16(wire.FamilyQueue), Text: "AGXQueue"},
			{Kind: wire.FactDevice, Key: 1, Aux: 1, Text: "softmetal"},
			{Kind: wire.FactRegistry, Key: 1, Text: "18446744073709551615"},
			{Kind: wire.FactWorkingSet, Key: 1, Text: "12713115648"},
			{Kind: wire.FactWorkingSet, Key: 2, Text: "much"},
			{Kind: wire.FactThreadName, Key: 101, Text: "main"},
			{Kind: 999, Key: 1, Text: "of a later version"},
			{Kind: wire.FactWarning, Text: "careful"},
			testStack.Fact(),
			testStack.Fact(),
			testImage.Fact(),
			{Kind: wire.FactSymbol, Key: 0x401136, Text: "main"},
			{Kind: wire.FactSymbol, Key: 0x401140, Aux: 1},
			wire.CodeLine{Address: 0x401136, File: "/src/a main.c", Line: 70000}.Fact(),
		}))
		check(w.Facts(p, testExperiment.Facts()))
		check(w.ThreadTimes(p, []wire.ThreadTime{{Thread: 101, At: 1000e6, Ran: 5, Waited: 0},
			{Thread: 100, At: 1000e6, Ran: 1, Waited: wire.WaitNotKnown}, {Thread: 101, At: 1050e6, Ran: 9, Waited: 41}}))
		for ring := range uint16(3) {
			key := streamKey{p, ring}
			streams[key] = workload(12*int(ring+1), 2)
			position := uint64(0)
			for part := range slices.Chunk(streams[key], 9) {
				check(w.Records(p, ring, position, part))
				position += uint64(len(part))
				if ring == 2 {
					check(w.Flush())
				}
			}
		}
		if err := w.Records(p, 0, 10, streams[streamKey{p, 0}][:1]); err == nil {
			t.Fatal("records from before the last were accepted")
		}
	}
	check(w.EndProcess(0, End{ExitKnown: true, Signal: 9, Rings: []RingEnd{
		{Ring: 0, Thread: 100, Head: 12}, {Ring: 1, Head: 24, Dropped: 5, Losses: []Loss{{7, 3}, {8, 2}}},
		{Ring: 2, Head: 46}, {Ring: 3, Head: 4}},
		Unringed: 2, Current: []CurrentCall{{Thread: 100, Begin: 9, Object: 1, Call: 50}}}))
	if closed {
		check(w.Close(Result{Finished: 43}))
	} else {
		check(w.Flush())
	}
	return path, streams
}

func readAll(t testing.TB, r *Reader) map[streamKey][]wire.Record {
	t.Helper()
	streams := map[streamKey][]wire.Record{}
	for _, s := range r.Streams() {
		key := streamKey{s.Process, s.Ring}
		err := r.Read(s, func(records []wire.Record) error {
			streams[key] = append(streams[key], records...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.Records != uint64(len(streams[key])) {
			t.Errorf("stream %v says %d records and has %d", key, s.Records, len(streams[key]))
		}
	}
	return streams
}

func TestFileRoundTrip(t *testing.T) {
	path, want := writeSmall(t, true)
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if cut, why := r.Truncated(); cut {
		t.Error(why)
	}
	if !reflect.DeepEqual(r.Info(), testInfo) {
		t.Errorf("info %+v", r.Info())
	}
	if result, ok := r.Result(); !ok || result.Finished != 43 {
		t.Errorf("result %+v %v", result, ok)
	}
	got := readAll(t, r)
	for key := range want {
		if !slices.Equal(got[key], want[key]) {
			t.Errorf("stream %v differs", key)
		}
	}
	p := r.Processes()[0]
	if want := []wire.ThreadTime{{Thread: 100, At: 1000e6, Ran: 1, Waited: wire.WaitNotKnown},
		{Thread: 101, At: 1000e6, Ran: 5},
		{Thread: 101, At: 1050e6, Ran: 9, Waited: 41}}; !slices.Equal(p.ThreadTimes, want) {
		t.Errorf("thread times %+v", p.ThreadTimes)
	}
	switch {
	case len(r.Processes()) != 2, !reflect.DeepEqual(p.Hello, testHello(100)):
		t.Errorf("hello %+v", p.Hello)
	case p.Strings[wire.HashString("axpy")] != "axpy", p.Classes[3] != Class{"AGXQueue", wire.FamilyQueue},
		p.Devices[1] != Device{"softmetal", true, 1<<64 - 1, 12713115648}, p.Devices[2] != Device{}:
		t.Errorf("facts %+v", p)
	case p.ThreadNames[101] != "main", !slices.Equal(p.Warnings, []string{"careful"}):
		t.Errorf("facts %+v", p)
	case len(p.Code.Stacks) != 1, !reflect.DeepEqual(p.Code.Stacks[wire.StackID(testStack.Fact().Key)], testStack):
		t.Errorf("stacks %+v", p.Code.Stacks)
	case !slices.Equal(p.Code.Images, []wire.Image{testImage}), p.Code.Symbols[0x401136] != Symbol{"main",
		"/src/a main.c", 70000,
		false}, !p.Code.Symbols[0x401140].NoCall:
		t.Errorf("images %+v, symbols %v", p.Code.Images, p.Code.Symbols)
	case p.Nanos(1000) != 1000e6, p.Nanos(2500) != 1500e6, p.Nanos(4000) != 2000e6:
		t.Errorf("clock: %d %d %d", p.Nanos(1000), p.Nanos(2500), p.Nanos(4000))
	case p.End == nil, r.Processes()[1].End != nil:
		t.Error("the first process ended, the second did not")
	case p.End.Signal != 9, p.End.Lost() != 7, p.End.DroppedByThread()[7] != 3, p.End.Current[0].Call != 50:
		t.Errorf("end %+v", p.End)
	}
	missing := map[streamKey]uint64{}
	for _, s := range r.Streams() {
		missing[streamKey{s.Process, s.Ring}] = s.Missing
	}
	if missing[streamKey{0, 0}] != 0 || missing[streamKey{0, 2}] != 10 || missing[streamKey{0, 3}] != 4 {
		t.Errorf("missing: %v", missing)
	}
}

// A file cut after any byte opens, is reported as cut, and holds a prefix of every stream: the records in complete
// blocks.
func TestCutAnywhere(t *testing.T) {
	for _, closed := range []bool{false, true} {
		path, want := writeSmall(t, closed)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []block
		if r, err := NewReader("whole", bytes.NewReader(whole), int64(len(whole))); err != nil {
			t.Fatal(err)
		} else {
			blocks = r.blocks
		}
		for size := 0; size < len(whole); size += fewer(1) {
			for _, tail := range []int{0, 100} { // a machine that went down leaves zeros
				if (tail > 0 || !closed) && size%7 != 0 { // these differ only in how they end
					continue
				}
				data := append(slices.Clip(whole[:size]), make([]byte, tail)...)
				r, err := NewReader("cut", bytes.NewReader(data), int64(len(data)))
				if size < fileHeader {
					if err == nil {
						t.Fatalf("cut at %d: no error", size)
					}
					continue
				}
				if err != nil {
					t.Fatalf("cut at %d: %v", size, err)
				}
				if cut, why := r.Truncated(); !cut || strings.Contains(why, "\n") {
					t.Fatalf("cut at %d of %d: %v %q", size, len(whole), cut, why)
				}
				n := 0
				for n < len(blocks) && blocks[n].end() <= int64(size) {
					n++
				}
				if len(r.blocks) < n || len(r.blocks) > n && tail == 0 { // the bytes that were cut may have been zeros themselves
					t.Fatalf("cut at %d: %d blocks of %d read", size, len(r.blocks), n)
				}
				for key, got := range readAll(t, r) {
					if !slices.Equal(got, want[key][:len(got)]) {
						t.Fatalf("cut at %d: stream %v is no prefix", size, key)
					}
				}
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	header := func(version uint32) []byte {
		b := binary.LittleEndian.AppendUint32([]byte(fileMagic), version)
		return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	}
	for name, c := range map[string]struct {
		data []byte
		want error
		text string
	}{
		"empty":           {nil, ErrNotTrace, "it is empty"},
		"text":            {[]byte("# a script\nexit 0\n"), ErrNotTrace, `it starts with "# a scri"`},
		"short text":      {[]byte("hi"), ErrNotTrace, `it starts with "hi"`},
		"line ends":       {[]byte("\x89MTRACE\r\n\x01\x00\x00\x00    "), ErrNotTrace, "it starts with"},
		"newer":           {header(Version + 1), ErrVersion, "format version 3, this mtrace reads up to 2"},
		"half a header":   {header(Version)[:12], ErrDamaged, "it ends after 12 bytes"},
		"header checksum": {append(header(Version)[:15], 0xaa), ErrDamaged, "wrong checksum"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotTrace) {
		t.Errorf("directory: %v", err)
	}
	if _, err := Open("/nonexistent.mtrace"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, closed := range []bool{false, true} {
		path, _ := writeSmall(f, closed)
		whole, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole)
		f.Add(whole[:len(whole)-trailer])
	}
	f.Add([]byte(fileMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader("fuzz", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, s := range r.Streams() {
			r.Read(s, func([]wire.Record) error { return nil })
		}
		for _, p := range r.Processes() {
			p.Nanos(12345)
		}
	})
}

// Checksums keep a fuzzer away from all code after their test, so this one corrects them.
func FuzzBlocks(f *testing.F) {
	f.Add(uint8(blockFacts), []byte("x"), uint32(0), uint64(0))
	f.Add(uint8(blockEnd), []byte(`{"ExitKnown":true}`), uint32(0), uint64(0))
	f.Add(uint8(blockIndex), []byte{1, 0, 0}, uint32(0), uint64(0))
	f.Add(uint8(blockThreads), wire.AppendThreadTime(nil, wire.ThreadTime{Thread: 7, At: 1, Ran: 2,
		Waited: wire.WaitNotKnown}), uint32(0), uint64(0))
	f.Add(uint8(blockOwners), appendOwner(appendOwner(nil, owner{3, 7, 100}), owner{1, 0, 101}), uint32(0), uint64(0))
	f.Add(uint8(blockRecords), func() []byte { p, _, _ := new(encoder).encode(nil, workload(50, 1)); return p.bytes }(),
		uint32(50), uint64(3))
	f.Fuzz(func(t *testing.T, k uint8, payload []byte, count uint32, position uint64) {
		data := appendFileHeader(nil)
		for _, b := range []struct {
			block
			payload []byte
		}{{block{kind: blockProcess}, []byte("{}")},
			{block{kind: blockKind(k), count: count, position: position, ring: uint16(position % 300)}, payload}} {
			stored, e := compress(b.payload, nil)
			b.encoding, b.raw, b.stored, b.payloadCRC = e, uint32(len(b.payload)), uint32(len(stored)),
				crc32.Checksum(stored, castagnoli)
			data = append(b.appendHeader(data), stored...)
		}
		r, err := NewReader("fuzz", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, s := range r.Streams() {
			r.Read(s, func([]wire.Record) error { return nil })
		}
	})
}
