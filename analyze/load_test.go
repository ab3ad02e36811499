package analyze_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

var (
	commandBuffer      = wire.MustLookup(wire.FamilyQueue, "commandBuffer")
	newQueue           = wire.MustLookup(wire.FamilyDevice, "newCommandQueueWithMaxCommandBufferCount:")
	computeEncoder     = wire.MustLookup(wire.FamilyCommandBuffer, "computeCommandEncoder")
	endEncoding        = wire.MustLookup(wire.FamilyEncoder, "endEncoding")
	setPipeline        = wire.MustLookup(wire.FamilyEncoder, "setComputePipelineState:")
	dispatch           = wire.MustLookup(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:")
	commit             = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	waitUntilCompleted = wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")
	waitForValue       = wire.MustLookup(wire.FamilyEvent, "waitUntilSignaledValue:timeoutMS:")
	encodeSignal       = wire.MustLookup(wire.FamilyCommandBuffer, "encodeSignalEvent:value:")
	setSignaled        = wire.MustLookup(wire.FamilyEvent, "setSignaledValue:")
	newPipeline        = wire.MustLookup(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:")
	bufferLabel        = wire.MustLookup(wire.FamilyCommandBuffer, "setLabel:")
)

// completed appends the record of the tracer's completion handler for a command buffer.
func completed(r *tracesim.Ring, at int64, buffer uint32, gpuBegin, gpuEnd int64) {
	r.AddMore(wire.Record{Begin: wire.Ticks(at), End: wire.Ticks(at + 10), Object: wire.ObjectID(buffer), Arg: 4,
		Call: wire.CallCompleted},
		wire.More{X0: uint64(gpuBegin), X1: uint64(gpuEnd)})
}

func load(t testing.TB, path string, opts analyze.Options) *analyze.Trace {
	t.Helper()
	trace, err := analyze.Load(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestLoadObjects: the records' facts about Metal's objects are in the model, although they come from several rings, in
// which the use of an object may come before its creation.
func TestLoadObjects(t *testing.T) {
	f, p := tracesim.NewFile()
	handler := p.Thread(9, "handler", 1000) // the ring of the completion comes first
	completed(handler, 6000, 11, 4000, 5500)
	other := p.Thread(8, "committer", 1000)
	other.Add(commit, 3000, 3200, 11, 0)
	main := p.Thread(7, "main", 1000)
	main.AddMore(wire.Record{Begin: 1000, End: 1100, Object: 1, Arg: 10, Call: newQueue}, wire.More{X0: 5})
	main.AddMore(wire.Record{Begin: 1200, End: 1300, Object: 1, Arg: 20, Call: newPipeline},
		wire.More{X0: p.String("axpy")})
	main.Add(commandBuffer, 1400, 1500, 10, 11)
	main.Add(bufferLabel, 1500, 1510, 11, p.String("step 1"))
	main.Add(computeEncoder, 1600, 1650, 11, 12)
	main.Add(setPipeline, 1660, 1670, 12, 20)
	for i := range int64(3) {
		main.AddMore(wire.Record{Begin: wire.Ticks(1700 + 10*i), End: wire.Ticks(1705 + 10*i), Object: 12, Arg: 256,
			Call: dispatch}, wire.More{})
	}
	main.Add(endEncoding, 1800, 1810, 12, 0)
	main.Add(waitUntilCompleted, 3300, 6200, 11, 0)
	trace := load(t, f.Write(t), analyze.Options{})

	if len(trace.CommandBuffers) != 1 {
		t.Fatalf("%d command buffers", len(trace.CommandBuffers))
	}
	b := &trace.CommandBuffers[0]
	if b.ID != 11 || b.Label != "step 1" || b.Queue == nil || b.Queue.ID != 10 || b.Queue.Capacity != 5 ||
		b.Queue.Device.Name != "Test Device" {
		t.Errorf("command buffer %+v, queue %+v", b, b.Queue)
	}
	if b.Created.Thread.ID != 7 || b.Committed.Thread.ID != 8 || b.GPU != (analyze.Interval{Begin: 4000, End: 5500}) ||
		b.Status != analyze.StatusCompleted {
		t.Errorf("created by %d, committed by %d, GPU %v, status %d", b.Created.Thread.ID, b.Committed.Thread.ID, b.GPU,
			b.Status)
	}
	if len(b.Encoders) != 1 || len(b.Encoders[0].Dispatches) != 1 {
		t.Fatalf("encoders %+v", b.Encoders)
	}
	e := b.Encoders[0]
	if d := e.Dispatches[0]; d.Count != 3 || d.Threads != 768 || d.Pipeline.Kernel != "axpy" ||
		e.Kind != analyze.EncoderCompute || !e.Ended.Known() {
		t.Errorf("encoder %+v, dispatch %+v", e, d)
	}
	if len(trace.Waits) != 1 || trace.WaitsFor(&trace.Waits[0]) != b || trace.Waits[0].Thread.ID != 7 {
		t.Errorf("waits %+v", trace.Waits)
	}
	if len(trace.Threads) != 2 || trace.Events != 12 {
		t.Errorf("%d threads, %d events; the handler's thread made no call", len(trace.Threads), trace.Events)
	}
	if !trace.Source.SoftwareMetal || trace.Source.Device != "Test Device" {
		t.Errorf("source %+v", trace.Source)
	}
}

// TestReusedRing: a ring is used by one thread after another.
func TestReusedRing(t *testing.T) {
	f, p := tracesim.NewFile()
	r := p.Thread(21, "first", 100)
	r.Add(commit, 100, 200, 1, 0)
	r.Start(22, "second", 300)
	r.Add(commit, 300, 450, 2, 0)
	trace := load(t, f.Write(t), analyze.Options{})
	if len(trace.Threads) != 2 || trace.Threads[0].ID != 21 || trace.Threads[1].ID != 22 ||
		trace.Threads[1].Name != "second" {
		t.Fatalf("threads %+v", trace.Threads)
	}
	if c := trace.Threads[1].Exclusive[analyze.PartCommit]; c != 150 {
		t.Errorf("the second thread committed for %d ns", c)
	}
}

// TestEventWaits: a wait for an event is a wait for the work that signals its value.
func TestEventWaits(t *testing.T) {
	f, p := tracesim.NewFile()
	a := p.Thread(31, "a", 100)
	a.Add(commandBuffer, 100, 110, 2, 3)
	a.AddMore(wire.Record{Begin: 120, End: 130, Object: 3, Arg: 5, Call: encodeSignal}, wire.More{X0: 50})
	a.Add(commit, 140, 150, 3, 0)
	a.Add(setSignaled, 700, 710, 51, 1)
	b := p.Thread(32, "b", 100)
	// 5 is more than 4
	b.AddMore(wire.Record{Begin: 200, End: 600, Object: 50, Arg: 4, Call: waitForValue}, wire.More{X0: 1000})
	b.AddMore(wire.Record{Begin: 650, End: 720, Object: 51, Arg: 1, Call: waitForValue}, wire.More{X0: 1000})
	b.AddMore(wire.Record{Begin: 800, End: 900, Object: 50, Arg: 6, Call: waitForValue}, wire.More{X0: 1000}) // nobody
	trace := load(t, f.Write(t), analyze.Options{})
	w := trace.Waits
	if len(w) != 3 || w[0].Buffer == analyze.NoCommandBuffer || trace.WaitsFor(&w[0]).ID != 3 ||
		w[1].Signaled == nil || w[1].Signaled.ID != 31 || w[2].Buffer != analyze.NoCommandBuffer || w[2].Signaled != nil {
		t.Errorf("waits %+v", w)
	}
}

// TestUnfinished: a thread that hangs in a call when its process ends is in the report, with the time it hung.
func TestUnfinished(t *testing.T) {
	f, p := tracesim.NewFile()
	r := p.Thread(41, "hangs", 1000)
	r.Add(commandBuffer, 1000, 1100, 2, 3)
	r.Add(commit, 1200, 1300, 3, 0)
	o := p.Thread(42, "goes on", 1000)
	o.Add(commit, 9000, 9500, 4, 0)
	p.End.Current = []tracefile.CurrentCall{{Thread: 41, Ring: 0, Begin: 2000, Object: 3, Call: waitUntilCompleted}}
	trace := load(t, f.Write(t), analyze.Options{})
	if len(trace.Waits) != 1 || !trace.Waits[0].Unfinished || trace.Waits[0].End != 9500 || trace.Waits[0].Begin != 2000 {
		t.Fatalf("waits %+v", trace.Waits)
	}
	if trace.Events != 3 || len(trace.Unfinished) != 1 || !strings.Contains(strings.Join(trace.Warnings, "\n"),
		"thread 41 was still inside waitUntilCompleted") {
		t.Errorf("%d events, unfinished %+v, warnings %q", trace.Events, trace.Unfinished, trace.Warnings)
	}
}

// TestRange: calls outside of the range are left out, calls across its edges are cut; objects stay complete.
func TestRange(t *testing.T) {
	f, p := tracesim.NewFile()
	r := p.Thread(51, "t", 1000)
	r.Add(commandBuffer, 1000, 1100, 2, 3)
	r.Add(commit, 1400, 1600, 3, 0)
	r.Add(waitUntilCompleted, 1700, 2500, 3, 0)
	trace := load(t, f.Write(t), analyze.Options{From: 500, To: 1000}) // 1500 to 2000
	th := trace.Threads[0]
	if th.Active != (analyze.Interval{Begin: 1500, End: 2000}) || th.Exclusive[analyze.PartCommit] != 100 ||
		th.Exclusive[analyze.PartAcquire] != 0 {
		t.Errorf("thread %+v", th)
	}
	if len(trace.Waits) != 1 || trace.Waits[0].End != 2000 || trace.WaitsFor(&trace.Waits[0]).Queue == nil ||
		trace.Events != 2 {
		t.Errorf("waits %+v, %d events", trace.Waits, trace.Events)
	}
	if trace.TimeRange != (analyze.Interval{Begin: 1500, End: 2000}) {
		t.Errorf("window %v", trace.TimeRange)
	}
	if _, err := analyze.Load(f.Write(t), analyze.Options{PIDs: []int{77}}); err == nil ||
		!strings.Contains(err.Error(), "77") {
		t.Errorf("a process that is not there gives %v", err)
	}
}

// TestClockSuspect: GPU times that contradict the calls around them are reported.
func TestClockSuspect(t *testing.T) {
	f, p := tracesim.NewFile()
	r := p.Thread(61, "t", 1000)
	r.Add(commandBuffer, 1000, 1100, 2, 3)
	r.Add(commit, 90_000, 91_000, 3, 0)
	r.Add(waitUntilCompleted, 92_000, 95_000, 3, 0)
	completed(r, 96_000, 3, 20_000, 200_000)
	trace := load(t, f.Write(t), analyze.Options{})
	text := strings.Join(trace.Warnings, "\n")
	if !strings.Contains(text, "clock suspect") || !strings.Contains(text, "before they were committed") ||
		!strings.Contains(text, "returned before the GPU had ended") {
		t.Errorf("warnings %q", trace.Warnings)
	}
	if strings.Contains(text, "Rosetta") {
		t.Errorf("work that ends after its commit is on another clock: %q", text)
	}
}

// TestClockOfRosetta: a process whose timebase is 1/1 where the kernel's ticks are 125/3 ns has GPU times far before
// the calls.
func TestClockOfRosetta(t *testing.T) {
	f, p := tracesim.NewFile()
	r := p.Thread(61, "t", 1000)
	r.Add(commandBuffer, 900_000, 900_100, 2, 3)
	r.Add(commit, 900_200, 901_000, 3, 0)
	completed(r, 960_000, 3, 950_000*3/125, 955_000*3/125)
	text := strings.Join(load(t, f.Write(t), analyze.Options{}).Warnings, "\n")
	if !strings.Contains(text, "clock suspect: 1 of 1 command buffers ended on the GPU before they were committed") ||
		!strings.Contains(text, "Rosetta") {
		t.Errorf("warnings %q", text)
	}
}

// TestBadFiles: a file that is no trace gives one line that says so.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "text": "hello, world\n",
		"zeros": strings.Repeat("\x00", 4096)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := analyze.Load(path, analyze.Options{}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := analyze.Load(filepath.Join(dir, "missing"), analyze.Options{}); err == nil {
		t.Error("a missing file gives no error")
	}
}

// TestCutFile: a cut trace is read up to the cut, and reported as cut.
func TestCutFile(t *testing.T) {
	path := tracesim.Scenarios[0].Build(1).Run(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)*3/4], 0o644); err != nil {
		t.Fatal(err)
	}
	trace := load(t, path, analyze.Options{})
	if !trace.Source.Truncated || !strings.Contains(strings.Join(trace.Warnings, "\n"), "cut") {
		t.Errorf("truncated %v, warnings %q", trace.Source.Truncated, trace.Warnings)
	}
}

// TestRecordingCost: a cost measured in a process applies to its own calls. For a process without one the figure for
// its clock applies, and the sum is an estimate.
func TestRecordingCost(t *testing.T) {
	f, p := tracesim.NewFile()
	for i := range int64(1000) {
		if i == 0 {
			p.Thread(7, "main", 1000)
		}
		p.Rings()[0].Add(commit, 2000+100*i, 2050+100*i, 11, 0)
	}
	if r := load(t, f.Write(t), analyze.Options{}).Recording.Overhead; r.Measured || r.Took != 44_000 {
		t.Errorf("without a measurement recording took %+v, want 44 µs, estimated", r)
	}
	p.Facts = append(p.Facts, wire.Fact{Kind: wire.FactCost, Key: 21_500})
	if r := load(t, f.Write(t), analyze.Options{}).Recording.Overhead; !r.Measured || r.Took != 21_500 {
		t.Errorf("with a measurement of 21.5 ns recording took %+v, want 21.5 µs, measured", r)
	}
	_, q := tracesim.NewFile()
	q.Hello.PID = 101
	q.Thread(8, "other", 1000).Add(commit, 2000, 2050, 11, 0)
	f.Processes = append(f.Processes, q)
	if r := load(t, f.Write(t), analyze.Options{}).Recording.Overhead; r.Measured || r.Took != 21_544 {
		t.Errorf("with another process that did not measure recording took %+v, want 21.544 µs, estimated", r)
	}
}

// The story: a queue of Metal 4 signals an event itself, after the work that was committed to it, and the two were not
// connected. Threads were reported to wait for a GPU that ran none of their work, and only one of five streams of work
// was seen.
func TestEventsOfQueues(t *testing.T) {
	commitMany := wire.MustLookup(wire.FamilyMtl4Queue, "commit:count:")
	signal := wire.MustLookup(wire.FamilyMtl4Queue, "signalEvent:value:")
	wait := wire.MustLookup(wire.FamilyMtl4Queue, "waitForEvent:value:")
	f, p := tracesim.NewFile()
	other := p.Thread(32, "b", 100) // its calls come first in the file
	other.AddMore(wire.Record{Begin: 500, End: 510, Object: 2, Arg: 9, Call: wait}, wire.More{X0: 51})
	other.AddMore(wire.Record{Begin: 520, End: 530, Object: 2, Arg: 1, Call: commitMany}, wire.More{X0: 5})
	a := p.Thread(31, "a", 100)
	a.AddMore(wire.Record{Begin: 100, End: 110, Object: 2, Arg: 7, Call: signal}, wire.More{X0: 50}) // behind nothing
	a.AddMore(wire.Record{Begin: 120, End: 130, Object: 2, Arg: 2, Call: commitMany}, wire.More{X0: 4<<32 | 3})
	a.AddMore(wire.Record{Begin: 140, End: 150, Object: 2, Arg: 8, Call: signal}, wire.More{X0: 50})
	a.AddMore(wire.Record{Begin: 160, End: 450, Object: 50, Arg: 8, Call: waitForValue}, wire.More{X0: 1000})
	a.AddMore(wire.Record{Begin: 460, End: 470, Object: 50, Arg: 7, Call: waitForValue}, wire.More{X0: 1000})
	completed(a, 400, 3, 200, 390) // of the two that were committed together the one that ended last
	completed(a, 410, 4, 200, 300)
	trace := load(t, f.Write(t), analyze.Options{})
	w := trace.Waits
	if len(w) != 2 || w[0].Buffer == analyze.NoCommandBuffer || trace.WaitsFor(&w[0]).ID != 3 ||
		w[1].Buffer != analyze.NoCommandBuffer || w[1].Signaled == nil || w[1].Signaled.ID != 31 {
		t.Errorf("waits %+v", w)
	}
	for b := range trace.Buffers() {
		if waits := len(b.WaitsFor) == 1 && b.WaitsFor[0] == (analyze.EventValue{Event: 51, Value: 9}); waits != (b.ID == 5) {
			t.Errorf("command buffer %d waits for %v", b.ID, b.WaitsFor)
		}
	}
}

// The story: a machine's time of day was set back during the recording, and the run had a negative duration. It lasts
// at least as long as its calls.
func TestTimeOfDaySetBack(t *testing.T) {
	f, p := tracesim.NewFile()
	main := p.Thread(7, "main", 1000)
	main.Add(commit, 1000, 2000, 11, 0)
	main.Add(commit, 4_000_000_000, 4_000_001_000, 12, 0)
	if trace := load(t, f.Write(t), analyze.Options{}); trace.Source.Wall != 4_000_000_000 { // by the time of day 1 s
		t.Errorf("the run lasted for %d ns", trace.Source.Wall)
	}
}
