package validate

import (
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/collector/wire/wiretest"
)

var (
	newQueue      = wire.MustLookup(wire.FamilyDevice, "newCommandQueue")
	commandBuffer = wire.MustLookup(wire.FamilyQueue, "commandBuffer")
	commit        = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	wait          = wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")
)

// write makes a trace of one process with one ring, whose clock is in nanoseconds.
func write(t testing.TB, records []wire.Record, change func(*tracefile.End)) *tracefile.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.mtrace")
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	p := w.AddProcess(wire.Hello{PID: 1, Program: "p"})
	end := tracefile.End{Rings: []tracefile.RingEnd{{Head: uint64(len(records))}}}
	if change != nil {
		change(&end)
	}
	for _, err := range []error{
		w.Region(p, wire.ClockNanoseconds, 0, 0),
		w.Facts(p, []wire.Fact{{Kind: wire.FactDevice, Key: 1, Text: "d"}, {Kind: wire.FactClass, Key: 1, Text: "c"}, wire.Stack{Native: []uint64{1}}.Fact()}),
		w.Records(p, 0, 0, records),
		w.EndProcess(p, end),
		w.Close(tracefile.Result{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

const ms = 1e6

var knownStack = wire.Stack{Native: []uint64{1}}.Fact().Key

func stack(id uint64) wire.Record {
	return wire.Record{Begin: 15 * ms, End: 15 * ms, Arg: id, Call: wire.CallStack}
}

// good is a small trace that is as it must be: a queue, a command buffer, its commit, its completion, the wait for it.
func good() []wire.Record {
	return []wire.Record{
		{Begin: 1 * ms, End: 1 * ms, Arg: 77, Call: wire.CallThreadStart},
		{Begin: 2 * ms, End: 3 * ms, Object: 1, Arg: 2, Call: newQueue, Flags: 1 << wire.ClassShift},
		{Begin: 4 * ms, End: 5 * ms, Object: 2, Arg: 3, Call: commandBuffer},
		{Begin: 6 * ms, End: 7 * ms, Object: 3, Call: commit},
		{Begin: 9 * ms, End: 9 * ms, Object: 3, Arg: 4, Call: wire.CallCompleted, Flags: wire.HasMore},
		wire.More{X0: 7 * ms, X1: 8 * ms}.Record(),
		{Begin: 8 * ms, End: 10 * ms, Object: 3, Call: wait},
		{Begin: 12 * ms, End: 12 * ms, Arg: 78, Call: wire.CallThreadStart},
		{Begin: 13 * ms, End: 14 * ms, Call: commit},
	}
}

func TestTrace(t *testing.T) {
	for name, c := range map[string]struct {
		records func([]wire.Record) []wire.Record
		end     func(*tracefile.End)
		want    string // in the one problem; none when empty
	}{
		"good":              {},
		"no thread":         {records: func(r []wire.Record) []wire.Record { return r[1:] }, want: "record 0: newCommandQueue comes before any thread"},
		"missing":           {end: func(e *tracefile.End) { e.Rings[0].Head++ }, want: "1 records were published and are missing"},
		"note":              {end: func(e *tracefile.End) { e.Note = "it was eaten" }, want: "it was eaten"},
		"no more":           {records: func(r []wire.Record) []wire.Record { return append(r[:5], r[6:]...) }, want: "record 5: the More record of completed is missing"},
		"more at end":       {records: func(r []wire.Record) []wire.Record { return r[:5] }, want: "missing at the end"},
		"more for none":     {records: func(r []wire.Record) []wire.Record { r[4].Flags = 0; return r }, want: "belongs to no call"},
		"unknown call":      {records: func(r []wire.Record) []wire.Record { r[3].Call = 9999; return r }, want: "call 9999 is not in the table"},
		"end before begin":  {records: func(r []wire.Record) []wire.Record { r[2].End = 4*ms - 5; return r }, want: "commandBuffer ends 5 ticks before it begins"},
		"out of order":      {records: func(r []wire.Record) []wire.Record { r[2], r[3] = r[3], r[2]; return r }, want: "before the call recorded before it"},
		"crossing":          {records: func(r []wire.Record) []wire.Record { r[6].Begin = 7*ms - 1; return r }, want: "begins inside a call"},
		"unknown class":     {records: func(r []wire.Record) []wire.Record { r[3].Flags = 9 << wire.ClassShift; return r }, want: "class 9"},
		"not made":          {records: func(r []wire.Record) []wire.Record { r[8].Object = 99; return r }, want: "commit uses the command buffer 99, which nothing has made"},
		"not made, lossy":   {records: func(r []wire.Record) []wire.Record { r[8].Object = 99; return r }, end: func(e *tracefile.End) { e.Unringed = 1 }},
		"as something else": {records: func(r []wire.Record) []wire.Record { r[8].Object = 2; return r }, want: "uses the queue 2 as a command buffer"},
		"before it is made": {records: func(r []wire.Record) []wire.Record { r[1].Object, r[1].Call = 3, commit; return r }, want: "before it is made"},
		"gpu before commit": {records: func(r []wire.Record) []wire.Record { r[5].Begin = 5 * ms; return r }, want: "began command buffer 3 1000000 ns before it was committed"},
		"gpu backwards":     {records: func(r []wire.Record) []wire.Record { r[5].Begin = 8*ms + 1; return r }, want: "ran on the GPU from"},
		"gpu after handler": {records: func(r []wire.Record) []wire.Record { r[5].End = 10 * ms; return r }, want: "after its completion was handled"},
		"lock, then start":  {records: func(r []wire.Record) []wire.Record { r[8].Begin, r[8].End = 10*ms, 11*ms; return r }},
		"stack":             {records: func(r []wire.Record) []wire.Record { return append(r, stack(knownStack)) }},
		"no such stack":     {records: func(r []wire.Record) []wire.Record { return append(r, stack(5)) }, want: "the stack 0x5 is not there"},
		"stack lost":        {records: func(r []wire.Record) []wire.Record { return append(r, stack(5)) }, end: func(e *tracefile.End) { e.Rings[0].FactsDropped = 1 }},
		"gpu never":         {records: func(r []wire.Record) []wire.Record { r[5].Begin, r[5].End = 0, 0; return r }},
	} {
		records := good()
		if c.records != nil {
			records = c.records(records)
		}
		problems, err := Trace(write(t, records, c.end))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == "" && len(problems) != 0 || c.want != "" && (len(problems) == 0 || !strings.Contains(strings.Join(problems, "\n"), c.want)) {
			t.Errorf("%s: %q, want %q", name, problems, c.want)
		}
	}
}

// The workload of the benchmarks is a trace like any other.
func TestWorkload(t *testing.T) {
	object := wire.ObjectID(0)
	w := wiretest.NewWorkload(3, 1, func() wire.ObjectID { object++; return object })
	records := append([]wire.Record{{Begin: 1, End: 1, Arg: 5, Call: wire.CallThreadStart}}, w.Start()...)
	for range 200 {
		records = append(records, w.Step()...)
	}
	if problems, err := Trace(write(t, records, nil)); err != nil || len(problems) != 0 {
		t.Errorf("%q, %v", problems, err)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	records := make([]wire.Record, 10000)
	problems, err := Trace(write(t, records, nil))
	if err != nil || len(problems) != maxProblems+1 || problems[maxProblems] != "and more" {
		t.Errorf("%d problems, %v", len(problems), err)
	}
}

func FuzzTrace(f *testing.F) {
	var b []byte
	for _, r := range good() {
		b = wire.AppendRecord(b, r)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		records, _ := wire.DecodeRecords(nil, b[:len(b)/wire.RecordSize*wire.RecordSize])
		if _, err := Trace(write(t, records, nil)); err != nil {
			t.Fatal(err)
		}
	})
}
