package validate

import (
	"bytes"
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
	var file inMemory
	w, err := tracefile.NewWriter(&file, tracefile.Info{})
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
		w.Facts(p, []wire.Fact{{Kind: wire.FactDevice, Key: 1, Text: "d"}, {Kind: wire.FactClass, Key: 1, Text: "c"},
			wire.Stack{Native: []uint64{1}}.Fact()}),
		w.Records(p, 0, 0, records),
		w.EndProcess(p, end),
		w.Close(tracefile.Result{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := tracefile.NewReader("memory", bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// inMemory is a file that is written to no disk.
type inMemory struct{ bytes.Buffer }

func (*inMemory) Close() error { return nil }

const ms = 1e6

var knownStack = wire.Stack{Native: []uint64{1}}.Fact().Key

func stack(id uint64) wire.Record {
	return wire.Record{Begin: 15 * ms, End: 15 * ms, Arg: id, Call: wire.CallStack}
}

var (
	condWait     = wire.MustLookup(wire.FamilySignal, "pthread_cond_wait")
	mutexLock    = wire.MustLookup(wire.FamilyLock, "pthread_mutex_lock")
	encoderTimes = wire.CallEncoderTimes
)

// and appends records to a trace.
func and(more ...wire.Record) func([]wire.Record) []wire.Record {
	return func(r []wire.Record) []wire.Record { return append(r, more...) }
}

func signal(flags wire.Flags, by uint64, says wire.ObjectID, ago uint32) func([]wire.Record) []wire.Record {
	return and(wire.Record{Begin: 15 * ms, End: 16 * ms, Arg: by, Object: says, Call: condWait,
		Flags: flags | wire.HasMore}, wire.More{X1: 0x1000, X3: ago}.Record())
}

func locks(first, second uint64) func([]wire.Record) []wire.Record {
	return and(wire.Record{Begin: 15 * ms, End: 16 * ms, Object: wire.FirstLock, Call: mutexLock, Flags: wire.HasMore},
		wire.More{X1: first}.Record(),
		wire.Record{Begin: 17 * ms, End: 18 * ms, Object: wire.FirstLock + 1, Call: mutexLock, Flags: wire.HasMore},
		wire.More{X1: second}.Record())
}

func encoder(outcome wire.Sampling, start, end uint64) func([]wire.Record) []wire.Record {
	return and(wire.Record{Begin: 15 * ms, End: 15 * ms, Arg: uint64(outcome), Call: encoderTimes, Flags: wire.HasMore},
		wire.More{X0: start, X1: end}.Record())
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
		"good": {},
		"no thread": {records: func(r []wire.Record) []wire.Record { return r[1:] },
			want: "record 0: newCommandQueue comes before any thread"},
		"missing": {end: func(e *tracefile.End) { e.Rings[0].Head++ },
			want: "1 records were published and are missing"},
		"note": {end: func(e *tracefile.End) { e.Note = "it was eaten" }, want: "it was eaten"},
		"no more": {records: func(r []wire.Record) []wire.Record { return append(r[:5], r[6:]...) },
			want: "record 5: the More record of completed is missing"},
		"more at end": {records: func(r []wire.Record) []wire.Record { return r[:5] }, want: "missing at the end"},
		"more for none": {records: func(r []wire.Record) []wire.Record { r[4].Flags = 0; return r },
			want: "belongs to no call"},
		"unknown call": {records: func(r []wire.Record) []wire.Record { r[3].Call = 9999; return r },
			want: "call 9999 is not in the table"},
		"end before begin": {records: func(r []wire.Record) []wire.Record { r[2].End = 4*ms - 5; return r },
			want: "commandBuffer ends 5 ticks before it begins"},
		"out of order": {records: func(r []wire.Record) []wire.Record { r[2], r[3] = r[3], r[2]; return r },
			want: "before the call recorded before it"},
		"crossing": {records: func(r []wire.Record) []wire.Record { r[6].Begin = 7*ms - 1; return r },
			want: "begins inside a call"},
		"unknown class": {records: func(r []wire.Record) []wire.Record {
			r[3].Flags =
				9 << wire.ClassShift
			return r
		}, want: "class 9"},
		"not made": {records: func(r []wire.Record) []wire.Record { r[8].Object = 99; return r },
			want: "commit uses the command buffer 99, which nothing has made"},
		"not made, lossy": {records: func(r []wire.Record) []wire.Record { r[8].Object = 99; return r },
			end: func(e *tracefile.End) { e.Unringed = 1 }},
		"as something else": {records: func(r []wire.Record) []wire.Record { r[8].Object = 2; return r },
			want: "uses the queue 2 as a command buffer"},
		"before it is made": {records: func(r []wire.Record) []wire.Record {
			r[1].Object, r[1].Call = 3,
				commit
			return r
		}, want: "before it is made"},
		"gpu before commit": {records: func(r []wire.Record) []wire.Record { r[5].Begin = 5 * ms; return r },
			want: "began command buffer 3 1000000 ns before it was committed"},
		"gpu backwards": {records: func(r []wire.Record) []wire.Record { r[5].Begin = 8*ms + 1; return r },
			want: "ran on the GPU from"},
		"gpu after handler": {records: func(r []wire.Record) []wire.Record { r[5].End = 10 * ms; return r },
			want: "after its completion was handled"},
		"lock, then start": {records: func(r []wire.Record) []wire.Record {
			r[8].Begin, r[8].End = 10*ms,
				11*ms
			return r
		}},
		"stack": {records: func(r []wire.Record) []wire.Record { return append(r, stack(knownStack)) }},
		"no such stack": {records: func(r []wire.Record) []wire.Record { return append(r, stack(5)) },
			want: "the stack 0x5 is not there"},
		"stack lost": {records: func(r []wire.Record) []wire.Record { return append(r, stack(5)) },
			end: func(e *tracefile.End) { e.Rings[0].FactsDropped = 1 }},
		"signal": {records: signal(0, 5, 0, 500)},
		"signal at nothing": {records: func(r []wire.Record) []wire.Record {
			r = signal(0, 5, 0,
				500)(r)
			r[len(r)-1].End = 0
			return r
		}, want: "a signal at no address"},
		"signal of nobody": {records: signal(wire.Failed, 5, 0, 500),
			want: "ended without a signal, and thread 5 gave it"},
		"signal too early":     {records: signal(0, 5, 0, 2*ms), want: "was signalled 2000000 ticks before its end"},
		"signal of a new kind": {records: signal(0, 5, 1<<7, 500), want: "says 0x80 of its signal"},
		"lock":                 {records: locks(0x10, 0x20)},
		"lock at nothing":      {records: locks(0x10, 0), want: "a lock at no address"},
		"two locks, one number": {records: func(r []wire.Record) []wire.Record {
			r = locks(0x10,
				0x20)(r)
			r[len(r)-2].Object--
			return r
		},
			want: "lock 1 is at 0x10 and at 0x20"},
		"lock that is a queue": {records: func(r []wire.Record) []wire.Record {
			r = locks(0x10,
				0x20)(r)
			r[len(r)-2].Object = 2
			return r
		}, want: "lock 2, which is a queue"},
		"encoder times":        {records: encoder(wire.SamplingMeasured, 7*ms, 8*ms)},
		"encoder not measured": {records: encoder(wire.SamplingMissing, 0, 0)},
		"encoder backwards": {records: encoder(wire.SamplingMeasured, 8*ms, 7*ms),
			want: "encoder 0 was measured to run from 8000000 to 7000000"},
		"encoder without": {records: encoder(wire.SamplingMissing, 7*ms, 8*ms), want: "was not measured and has times"},
		"encoder strange": {records: encoder(99, 0, 0), want: "are 99, which they cannot be"},
		"interpreter": {records: func(r []wire.Record) []wire.Record {
			r = append(r, stack(knownStack))
			r[len(r)-1].Object = wire.InterpreterHeld
			return r
		},
			want: "says 0x1 of the GIL"},
		"commits": {end: func(e *tracefile.End) { e.Commits = wire.Audit{Reached: 2, Missed: 1} }},
		"commits missed": {end: func(e *tracefile.End) { e.Commits = wire.Audit{Reached: 2, Missed: 3} },
			want: "3 of 2 commits"},
		"commits unseen": {end: func(e *tracefile.End) { e.Commits = wire.Audit{Reached: 3} },
			want: "3 commits were seen at Metal's choke points, and 2 recorded"},
		"commit at end": {end: func(e *tracefile.End) {
			e.Commits, e.Current = wire.Audit{Reached: 3}, make([]tracefile.CurrentCall, 1)
		}},
		"nested": {end: func(e *tracefile.End) {
			e.Nested, e.NestedBy = 5,
				map[string]uint64{"queue": 2, "device": 3}
		}},
		"nested unlike": {end: func(e *tracefile.End) { e.Nested, e.NestedBy = 5, map[string]uint64{"queue": 2} },
			want: "5 inner calls were counted, by family 2"},
		"canary unmade": {records: func(r []wire.Record) []wire.Record {
			return append(r, wire.Record{Begin: 15 * ms, End: 15 * ms, Arg: uint64(commit), Call: wire.CallCanary})
		}, want: "the self-check made commit 0 times, and 1 were seen"},
		"gpu never": {records: func(r []wire.Record) []wire.Record { r[5].Begin, r[5].End = 0, 0; return r }},
	} {
		records := good()
		if c.records != nil {
			records = c.records(records)
		}
		problems, err := Trace(write(t, records, c.end))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want == "" && len(problems) != 0 || c.want != "" &&
			(len(problems) == 0 || !strings.Contains(strings.Join(problems, "\n"), c.want)) {
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
