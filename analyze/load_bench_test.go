package analyze_test

import (
	"cmp"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

var (
	newBuffer = wire.MustLookup(wire.FamilyDevice, "newBufferWithLength:options:")
	dealloc   = wire.MustLookup(wire.FamilyResource, "dealloc")
	mutexLock = wire.MustLookup(wire.FamilyLock, "pthread_mutex_lock")
)

// A loadShape is a kind of program: a thread's calls for each command buffer.
type loadShape struct {
	name       string
	threads    int
	dispatches int  // for each command buffer, each with a pipeline state set before it
	locks      int  // waits for locks for each command buffer, inside other calls
	buffers    int  // buffers made and released for each command buffer
	unencoded  bool // no encoder at all
	stacks     bool // of each call that has one, from one of a hundred call sites
}

// BenchmarkLoad loads traces of a million calls of programs of several shapes. Their threads run at the same time, on a
// cycle counter as on real machines. The shapes range from a command buffer for each 10 calls, the fewest that do
// useful work, to one for each 3000. An event is a record that the tracer writes at once: a call, a completion, or the
// stack of a call. Values of dispatches, locks, completions and allocations that do not fit into the first record are
// in a second one, which counts as a record but not as an event.
func BenchmarkLoad(b *testing.B) {
	for _, shape := range []loadShape{
		{name: "calls=10", threads: 4, dispatches: 2},
		{name: "calls=50", threads: 4, dispatches: 22},
		{name: "threads=64", threads: 64, dispatches: 4},
		{name: "dispatches", threads: 2, dispatches: 1500},
		{name: "waits", threads: 8, unencoded: true},
		{name: "locks", threads: 8, dispatches: 4, locks: 12},
		{name: "allocations", threads: 4, dispatches: 4, buffers: 8},
		{name: "stacks", threads: 4, dispatches: 8, stacks: true},
	} {
		b.Run(shape.name, func(b *testing.B) { benchmarkLoad(b, shape) })
	}
}

func benchmarkLoad(b *testing.B, shape loadShape) {
	b.Helper()
	path, events, records := shape.write(b, 1_000_000)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(analyze.GCPercent)) // as the command does
	b.ReportAllocs()
	before := processorTime(b)
	b.ResetTimer()
	for range b.N {
		if _, err := analyze.Load(path, analyze.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(b.N)*float64(events)/(processorTime(b)-before).Seconds()/1e6, "Mevents/cpu-s")
	b.ReportMetric(float64(b.N)*float64(records)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
	b.ReportMetric(float64(info.Size())/float64(events), "B/event")
}

// processorTime returns the processor time of the process so far. On a machine with other load it is more reliable than
// the clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A benchThread is one thread of a program that makes a trace to load.
type benchThread struct {
	*tracesim.Ring
	number int
	at     int64 // ticks
	queue  uint32
}

// ticksPerNano is a cycle counter's.
const ticksPerNano = 2.45

// write writes a trace of about as many calls and completions, and returns how many events and records are in it.
func (s loadShape) write(tb testing.TB, calls int) (path string, events, records int) {
	tb.Helper()
	f, p := tracesim.NewFile()
	p.Clock = wire.ClockTSC
	random := rand.New(rand.NewPCG(1, 2))
	id := uint32(1)
	next := func() uint32 { id++; return id }
	var threads []*benchThread
	for n := range s.threads {
		t := &benchThread{p.Thread(uint64(10+n), "worker", 2450), n, 2450 + int64(n), next()}
		t.AddMore(wire.Record{Begin: 2450, End: 2500, Object: 1, Arg: uint64(t.queue), Call: newQueue}, wire.More{})
		threads = append(threads, t)
	}
	pipelines := []uint32{next(), next(), next()}
	for made := 0; made < calls; {
		t := slices.MinFunc(threads, func(a, b *benchThread) int { return cmp.Compare(a.at, b.at) })
		before := len(t.Records)
		s.step(t, random, next, pipelines)
		made += count(t.Records[before:])
	}
	last := slices.MaxFunc(threads, func(a, b *benchThread) int { return cmp.Compare(a.at, b.at) }).at
	for at := int64(0); at < last+ticksPerNano*1e8; at += ticksPerNano * 1e8 { // ten a second
		p.Samples = append(p.Samples, wire.ClockSample{Ticks: wire.Ticks(at), Nanos: int64(float64(at) / ticksPerNano)})
	}
	if s.stacks {
		p.Stacks(func(uint64, wire.Call) (wire.Stack, bool) {
			return wire.Stack{Native: []uint64{0x1000 + uint64(random.IntN(100)), 0x2000, 0x3000, 0x4000}}, false
		})
	}
	for _, t := range threads {
		events, records = events+count(t.Records), records+len(t.Records)
	}
	return f.Write(tb), events, records
}

// count is how many of the records are no More records of others.
func count(records []wire.Record) (n int) {
	for i := range records {
		if records[i].Call != wire.CallMore {
			n++
		}
	}
	return n
}

// step makes a thread's calls for one command buffer. Durations vary as durations of real calls do.
func (s loadShape) step(t *benchThread, random *rand.Rand, next func() uint32, pipelines []uint32) {
	call := func(c wire.Call, mean int64, object uint32, arg uint64, more *wire.More) {
		begin := t.at + 20 + random.Int64N(200)
		t.at = begin + mean/2 + random.Int64N(mean)
		if more == nil {
			t.Add(c, begin, t.at, object, arg)
		} else {
			t.AddMore(wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(t.at), Object: wire.ObjectID(object), Arg: arg,
				Call: c}, *more)
		}
	}
	locks := s.locks
	lock := func() {
		if locks > 0 {
			locks--
			call(mutexLock, 3000, 1, 10+uint64(random.IntN(s.threads)),
				&wire.More{X1: 0x7f00_0000_0000 + 64*uint64(random.IntN(4))})
		}
	}
	var buffers []uint32
	for range s.buffers {
		buffers = append(buffers, next())
		call(newBuffer, 2000, 1, uint64(buffers[len(buffers)-1]), &wire.More{X0: 4096, X2: 0x7f00_0000_0000 +
			uint64(random.IntN(1<<20))<<12})
	}
	buffer := next()
	call(commandBuffer, 400, t.queue, uint64(buffer), nil)
	if !s.unencoded {
		encoder := next()
		call(computeEncoder, 600, buffer, uint64(encoder), nil)
		for range s.dispatches {
			lock()
			call(setPipeline, 100, encoder, uint64(pipelines[random.IntN(len(pipelines))]), nil)
			call(dispatch, 250, encoder, 1<<20, &wire.More{X0: 1<<20 | 1<<32, X1: 1 | 256<<32, X2: 1 | 1<<32})
		}
		call(endEncoding, 100, encoder, 0, nil)
	}
	begin := t.at
	for locks > 0 {
		lock()
	}
	t.at += 20 + random.Int64N(4000)
	t.Add(commit, begin, t.at, buffer, 0)
	gpu := int64(float64(t.at)/ticksPerNano) + 2000
	end := gpu + 5000 + random.Int64N(50_000)
	begin = t.at + 100
	t.at = int64(float64(end+8000) * ticksPerNano)
	completed(t.Ring, t.at-15_000, buffer, gpu, end)
	t.Add(waitUntilCompleted, begin, t.at, buffer, 0)
	for _, b := range buffers {
		call(dealloc, 500, b, 0, nil)
	}
}
