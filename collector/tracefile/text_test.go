package tracefile

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

var update = flag.Bool("update", false, "write goldens instead of comparing with them")

func text(t testing.TB, path string) []byte {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return textOf(t, r)
}

func textOf(t testing.TB, r *Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A memory is a trace that is written to no disk.
type memory struct{ bytes.Buffer }

func (m *memory) Close() error { return nil }

func (m *memory) open(t testing.TB) *Reader {
	t.Helper()
	r, err := NewReader("memory", bytes.NewReader(m.Bytes()), int64(m.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTextRoundTrip(t *testing.T) {
	path, _ := writeSmall(t, true)
	want := text(t, path)
	again := filepath.Join(t.TempDir(), "again.mtrace")
	if err := ReadText(bytes.NewReader(want), again); err != nil {
		t.Fatal(err)
	}
	if got := text(t, again); !bytes.Equal(got, want) {
		a, b := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
		for i := range min(len(a), len(b)) {
			if !bytes.Equal(a[i], b[i]) {
				t.Fatalf("line %d of the text of a trace made from text is another:\n%s\n%s", i+1, a[i], b[i])
			}
		}
		t.Errorf("the text of a trace made from text has %d lines, not %d", len(b), len(a))
	}
}

// A block's records came in chunks of 512, and each chunk was mistaken for a block: printing a trace with a longer
// block panicked.
func TestTextOfLongBlocks(t *testing.T) {
	var file, again memory
	w, err := NewWriter(&file, testInfo)
	if err != nil {
		t.Fatal(err)
	}
	p := w.AddProcess(testHello(100))
	records := workload(2*recordsPerBlock, 1)
	for _, err := range []error{w.Region(p, wire.ClockTSC, 0, 0), w.Records(p, 5, 0, records), w.EndProcess(p, End{}),
		w.Close(Result{})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := textOf(t, file.open(t))
	if err := readText(bytes.NewReader(want),
		func(info Info) (*Writer, error) { return NewWriter(&again, info) }); err != nil {
		t.Fatal(err)
	}
	if got := textOf(t, again.open(t)); !bytes.Equal(got, want) ||
		bytes.Count(want, []byte(`"record":`)) < len(records)/2 {
		t.Errorf("the text has %d records of %d, and is the same again: %v", bytes.Count(want, []byte(`"record":`)),
			len(records), bytes.Equal(got, want))
	}
}

func TestTextGolden(t *testing.T) {
	const golden = "testdata/small.jsonl"
	path, _ := writeSmall(t, true)
	got := text(t, path)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the text form has changed; if that is meant, go test ./collector/tracefile -update")
	}
}

// A trace written by hand: positions may be left out.
func TestTextByHand(t *testing.T) {
	const hand = `{"schema":"mtrace.trace/1","info":{"tool":"hand"}}

{"process":0,"header":{"hello":{"pid":7,"program":"p"},"clock":1,"clock_ahead_ns":-3}}
{"process":0,"ring":4,"record":{"call":"thread start","family":"tracer","begin":1,"end":1,"arg":99}}
{"process":0,"ring":4,"record":{"call":"commit","family":"commandBuffer","begin":5,"end":6,"object":3,"more":[1,2,3,4]}}
{"process":0,"ring":4,"record":{"call":"commit","family":"commandBuffer","begin":8,"end":9,"object":3}}
`
	path := filepath.Join(t.TempDir(), "t.mtrace")
	if err := ReadText(strings.NewReader(hand), path); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	records := readAll(t, r)[streamKey{0, 4}]
	if len(records) != 4 || records[3].Begin != 8 || records[2].More().X3 != 4 || r.Streams()[0].Missing != 0 {
		t.Errorf("%+v", records)
	}
	if ahead := r.Processes()[0].Ahead; ahead != -3 || !bytes.Contains(text(t, path), []byte(`"clock_ahead_ns":-3`)) {
		t.Errorf("its clock is %d ns ahead", ahead)
	}
}

func TestReadTextRefuses(t *testing.T) {
	const head = `{"schema":"mtrace.trace/1","info":{}}` + "\n"
	const process = head + `{"process":0,"header":{"hello":{},"clock":1}}` + "\n"
	for in, want := range map[string]string{
		"":                                   "line 1 of the trace's text: it does not begin with",
		"{}":                                 "it does not begin with",
		"[1]":                                "line 1",
		head + "{}":                          "line 2 of the trace's text: the line does not name a process",
		head + `{"process":0,"fact":{}}`:     "process 0 has not begun",
		head + `{"process":1,"header":{}}`:   "process 1 begins, but the next one must be 0",
		process + `{"process":0}`:            "no data of process 0",
		process + `{"process":0,"colour":1}`: "unknown field",
		process + `{"process":0,"fact":{"kind":6,"key":1,"text":"x"}}`:          "stack: ",
		process + `{"process":0,"fact":{"kind":7,"key":1,"text":"x"}}`:          "image: ",
		process + `{"process":0,"stack":{"id":5,"native":[1]}}`:                 "the id of these frames is",
		process + `{"process":0,"stack":{"id":5,"python":[[1,2,99999999999]]}}`: "line 99999999999",
		process + `{"process":0,"ring":256,"record":{}}`:                        "ring 256",
		process + `{"process":0,"ring":1,"record":{"call":"x"}}`:                `no call "x"`,
		process + `{"process":0,"ring":1,"position":5,"record":{"call":"scheduled","family":"tracer"}}` + "\n" +
			`{"process":0,"ring":1,"position":5,"record":{"call":"scheduled","family":"tracer"}}`: "overlap earlier ones",
		// Records after an end restarted their ring, so that the written trace could not be read.
		process + `{"process":0,"ring":1,"position":5,"record":{"call":"scheduled","family":"tracer"}}` + "\n" +
			`{"process":0,"end":{}}` + "\n" +
			`{"process":0,"ring":1,"position":2,"record":{"call":"scheduled","family":"tracer"}}`: "line 5 of the trace's " +
			"text: records of ring 1 at position 2 overlap earlier ones, which end at 6",
	} {
		err := ReadText(strings.NewReader(in), filepath.Join(t.TempDir(), "t.mtrace"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func FuzzReadText(f *testing.F) {
	path, _ := writeSmall(f, true)
	f.Add(text(f, path))
	f.Add([]byte(`{"schema":"mtrace.trace/1","info":{}}` + "\n" + `{"process":0,"header":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second memory
		read := func(b []byte, m *memory) error {
			return readText(bytes.NewReader(b), func(info Info) (*Writer, error) { return NewWriter(m, info) })
		}
		if read(b, &first) != nil {
			return
		}
		once := textOf(t, first.open(t))
		if err := read(once, &second); err != nil {
			t.Fatalf("the text of a trace cannot be read: %v", err)
		}
		if twice := textOf(t, second.open(t)); !bytes.Equal(once, twice) {
			t.Fatalf("the text changes:\n%s\n%s", once, twice)
		}
	})
}
