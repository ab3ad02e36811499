package analyze_test

import (
	"runtime"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// heapOfLoad returns the peak of memory in use while loading a trace of a thread with that many command buffers and
// calls for each, and the number of calls.
func heapOfLoad(t *testing.T, buffers, callsEach int) (most, calls int64) {
	t.Helper()
	f, p := tracesim.NewFile()
	r := p.Thread(7, "main", 1000)
	at, id := int64(1000), uint32(20)
	call := func(c wire.Call, object, arg uint32) {
		r.Add(c, at+100, at+400, object, uint64(arg))
		at += 500
	}
	for range buffers {
		id += 2
		call(commandBuffer, 10, id)
		call(computeEncoder, id, id+1)
		call(setPipeline, id+1, 11)
		for range callsEach - 6 {
			call(dispatch, id+1, 256)
		}
		call(endEncoding, id+1, 0)
		call(commit, id, 0)
		call(waitUntilCompleted, id, 0)
	}
	path := f.Write(t)
	f, p, r = nil, nil, nil
	// A pool frees unused objects only in the second garbage collection. After the trace was written, a megabyte was
	// still in the first reading, more with more processors, until the smaller load seemed to take no memory.
	inUse := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := inUse()
	every := int64(buffers * callsEach / 8)
	trace := load(t, path, analyze.Options{Visit: func(*analyze.VisitedCall) {
		if calls++; calls%every == 0 {
			most = max(most, inUse()-before)
		}
	}})
	most = max(most, inUse()-before)
	if trace.Events != calls || len(trace.CommandBuffers) != buffers || len(trace.Waits) != buffers {
		t.Fatalf("%d events, %d visited, %d command buffers", trace.Events, calls, len(trace.CommandBuffers))
	}
	return most, calls
}

// TestMemoryOfLoad: memory grows with command buffers and waits, not with the calls between them. Blocks are decoded
// into a reused buffer. Whether a second buffer is allocated meanwhile, on another processor, is chance: it was seen
// once, on sixteen processors with four times the load.
func TestMemoryOfLoad(t *testing.T) {
	const block = 16384 * wire.RecordSize
	few, _ := heapOfLoad(t, 2000, 20)
	many, calls := heapOfLoad(t, 2000, 200)
	if many > few+few/2+block {
		t.Errorf("ten times the calls for as many command buffers take %d KB instead of %d, %d bytes for each of %d calls",
			many>>10, few>>10, (many-few)/calls, calls)
	}
	more, _ := heapOfLoad(t, 20_000, 20)
	if more < 3*few {
		t.Errorf("ten times the command buffers take %d KB instead of %d: the test does not measure the model", more>>10,
			few>>10)
	}
	t.Logf("%d KB; with ten times the calls %d KB; with ten times the command buffers %d KB", few>>10, many>>10, more>>10)
}
