package wire

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

var (
	commit   = MustLookup(FamilyCommandBuffer, "commit")
	dispatch = MustLookup(FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:")
	samples  = []Record{
		{},
		{Begin: 1, End: 2, Arg: 3, Object: 4, Call: commit, Flags: Failed | 200<<ClassShift},
		{Begin: ^Ticks(0), End: ^Ticks(0), Arg: ^uint64(0), Object: ^ObjectID(0), Call: ^Call(0), Flags: ^Flags(0)},
		{Begin: 5, End: 9, Object: 2, Arg: 4096, Call: dispatch, Flags: HasMore},
		More{X0: 4096 | 1<<32, X1: 1 | 256<<32, X2: 1<<63 | 1, X3: 1<<32 - 1}.Record(),
		More{X0: 7, Flags: Failed | HasMore}.Record(),
	}
)

func TestRecordRoundTrip(t *testing.T) {
	var b []byte
	for _, r := range samples {
		b = AppendRecord(b, r)
	}
	if len(b) != len(samples)*RecordSize {
		t.Fatalf("%d bytes", len(b))
	}
	got, err := DecodeRecords(nil, b)
	if err != nil || !slices.Equal(got, samples) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := DecodeRecords(nil, b[:len(b)-1]); err == nil || !strings.Contains(err.Error(), "not a whole number") {
		t.Errorf("part of a record: %v", err)
	}
}

// The layout is a contract with C: each field at its byte.
func TestRecordLayout(t *testing.T) {
	r := Record{Begin: 0x0706050403020100, End: 0x0f0e0d0c0b0a0908, Arg: 0x1716151413121110, Object: 0x1b1a1918,
		Call: 0x1d1c, Flags: 0x1f1e}
	var want []byte
	for i := range byte(RecordSize) {
		want = append(want, i)
	}
	if got := AppendRecord(nil, r); !bytes.Equal(got, want) {
		t.Errorf("%x", got)
	}
	m := More{X0: uint64(r.Begin), X1: uint64(r.End), X2: r.Arg, X3: uint32(r.Object), Flags: r.Flags}
	if got := m.Record().More(); got != m || m.Record().Call != CallMore {
		t.Errorf("%+v", got)
	}
}

func TestTextRoundTrip(t *testing.T) {
	for i, r := range samples {
		for _, more := range []*More{nil, {X0: 1<<64 - 1, X1: 2, X2: 3, X3: 4}} {
			if r.Call == CallMore && more != nil || more != nil && r.Flags&HasMore == 0 {
				continue
			}
			want := []Record{r}
			if more != nil {
				want = append(want, more.Record())
			}
			text := AppendText(nil, r, more)
			got, err := ParseText(nil, text)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("sample %d: %s reads as %+v, %v", i, text, got, err)
			}
		}
	}
	for _, c := range []struct {
		want   string
		record Record
	}{
		{`{"call":"commit","family":"commandBuffer","begin":1,"end":2,"object":4,"arg":3,"class":200,"failed":true}`,
			samples[1]},
		{`{"call":"more","family":"tracer","more":[7,0,0,0]}`, More{X0: 7}.Record()},
		{`{"call":"unknown","family":"tracer","number":65000,"begin":0,"end":0}`, Record{Call: 65000}},
	} {
		if got := string(AppendText(nil, c.record, nil)); got != c.want {
			t.Errorf("text %s, want %s", got, c.want)
		}
	}
}

func TestTextRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"call":"commit","family":"queue"}`:                                    `no call "commit" of family "queue"`,
		`{"call":"commit","family":"commandBuffer","color":1}`:                  "unknown field",
		`{"call":"commit","family":"commandBuffer","more":[0,0,0,99999999999]}`: "more than 32 bits",
		`[`: "record:",
	} {
		if _, err := ParseText(nil, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzRecordText(f *testing.F) {
	for _, r := range samples {
		f.Add(AppendRecord(nil, r))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		records, err := DecodeRecords(nil, b[:len(b)/RecordSize*RecordSize])
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			got, err := ParseText(nil, AppendText(nil, r, nil))
			if err != nil || len(got) != 1 || got[0] != r {
				t.Fatalf("%+v: %s reads as %+v, %v", r, AppendText(nil, r, nil), got, err)
			}
		}
	})
}

func FuzzParseText(f *testing.F) {
	for _, r := range samples {
		f.Add(AppendText(nil, r, nil))
	}
	f.Add(AppendText(nil, samples[3], &More{X0: 1}))
	f.Fuzz(func(t *testing.T, line []byte) {
		records, err := ParseText(nil, line)
		if err == nil && (len(records) < 1 || len(records) > 2) {
			t.Fatalf("%d records", len(records))
		}
	})
}

// Numbers are in files: two rows must not be the same call, and every row can be found by its name.
func TestTable(t *testing.T) {
	for i, row := range Table {
		if row.Selector == "" && i > 0 {
			t.Errorf("row %d is empty", i)
		}
		if c, known := Lookup(row.Family, row.Selector); !known || int(c) != i {
			t.Errorf("row %d, %q of family %v, is found as %d", i, row.Selector, row.Family, c)
		}
		if row.Family.String() == "unknown" || row.Group.String() == "unknown" {
			t.Errorf("row %d has no family or group: %+v", i, row)
		}
	}
	if got := Call(60000).String(); got != "unknown" {
		t.Errorf("a call beyond the table is %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustLookup of no call returned")
		}
	}()
	MustLookup(FamilyFence, "commit")
}

func BenchmarkDecodeRecords(b *testing.B) {
	raw := AppendRecord(nil, samples[1])
	raw = bytes.Repeat(raw, 8192)
	var records []Record
	for b.Loop() {
		records, _ = DecodeRecords(records[:0], raw)
	}
	b.ReportMetric(float64(len(records))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}
