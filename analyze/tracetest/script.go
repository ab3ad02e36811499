// Package tracetest writes trace files from scripts, for tests that must know what a trace holds to the nanosecond.
// Scripted traces record in nanoseconds, so what a script says is what a reader gets.
package tracetest

import (
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// Epoch is when scripted traces begin, in nanoseconds.
const Epoch = 1_000_000_000

// A File is a trace file being scripted.
type File struct {
	t      testing.TB
	writer *tracefile.Writer
}

// Create begins a trace file; Close ends it.
func Create(t testing.TB, path string) *File {
	t.Helper()
	w, err := tracefile.Create(path, tracefile.Info{Tool: "test", Command: []string{"workload", "--threads", "2"},
		Host: "host", OS: "linux", Arch: "amd64", Started: 1_700_000_000e9})
	f := &File{t, w}
	f.check(err)
	return f
}

func (f *File) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal("scripting a trace:", err)
	}
}

// Close ends the file.
func (f *File) Close() {
	f.t.Helper()
	f.check(f.writer.Close(tracefile.Result{Finished: 1_700_000_001e9}))
}

// A Process is a scripted process with a device, a queue of label "work" and a pipeline state for each kernel.
type Process struct {
	file    *File
	index   tracefile.ProcessIndex
	pid     int
	objects wire.ObjectID
	threads []*Thread

	Device, Queue wire.ObjectID
	Counted       tracefile.End // what its threads counted beside their records
}

// Process adds a process.
func (f *File) Process(pid int, program string) *Process { return f.Child(1, pid, program) }

// Child adds a process that another one started.
func (f *File) Child(parent, pid int, program string) *Process {
	f.t.Helper()
	p := &Process{file: f, pid: pid, index: f.writer.AddProcess(wire.Hello{Version: wire.Version, PID: pid, PPID: parent,
		Program: program, Args: []string{program},
		Host: "host", OS: "linux", Arch: "amd64"})}
	f.check(f.writer.Region(p.index, wire.ClockNanoseconds, 0, 0))
	p.Device = p.NewObject()
	p.fact(wire.Fact{Kind: wire.FactDevice, Aux: 1, Key: uint64(p.Device), Text: "scripted"})
	p.fact(wire.Fact{Kind: wire.FactClass, Aux: uint16(wire.FamilyCommandBuffer), Key: 1, Text: "ScriptedBuffer"})
	return p
}

// Fact adds a fact.
func (p *Process) Fact(fact wire.Fact) { p.fact(fact) }

func (p *Process) fact(fact wire.Fact) {
	p.file.check(p.file.writer.Facts(p.index, []wire.Fact{fact}))
}

// NewObject is the number of a new object.
func (p *Process) NewObject() wire.ObjectID {
	p.objects++
	return p.objects
}

// Text is the number of a text.
func (p *Process) Text(s string) uint64 {
	id := wire.HashString(s)
	p.fact(wire.Fact{Kind: wire.FactString, Key: uint64(id), Text: s})
	return uint64(id)
}

// End writes the records of the process's threads, which are then no longer to be used, and ends the process. Current
// are calls that the threads were inside.
func (p *Process) End(current ...tracefile.CurrentCall) {
	p.file.t.Helper()
	end := p.Counted
	end.ExitKnown, end.Current = true, current
	for i, th := range p.threads {
		p.file.check(p.file.writer.Records(p.index, uint16(i), 0, th.records))
		end.Rings = append(end.Rings, tracefile.RingEnd{Ring: uint16(i), Thread: th.id, Head: uint64(len(th.records))})
	}
	p.file.check(p.file.writer.EndProcess(p.index, end))
}

// A Thread is a scripted thread. Now is its clock, nanoseconds after Epoch.
type Thread struct {
	*Process
	Now     int64
	id      uint64
	records []wire.Record
}

// Thread adds a thread.
func (p *Process) Thread(id uint64, name string) *Thread {
	th := &Thread{Process: p, id: id}
	th.add(wire.Record{Begin: Epoch, End: Epoch, Arg: id, Call: wire.CallThreadStart}, &wire.More{X0: p.Text(name)})
	p.threads = append(p.threads, th)
	return th
}

func (th *Thread) add(r wire.Record, m *wire.More) {
	if m != nil {
		r.Flags |= wire.HasMore
	}
	th.records = append(th.records, r)
	if m != nil {
		th.records = append(th.records, m.Record())
	}
}

// Stray adds details that no record has, as in a damaged trace.
func (th *Thread) Stray() { th.records = append(th.records, (&wire.More{}).Record()) }

// Call adds a call that begins now and lasts so many nanoseconds; the clock then stands at its end.
func (th *Thread) Call(family wire.Family, selector string, object wire.ObjectID, arg uint64, lasts int64,
	more *wire.More) {
	begin := th.Now
	th.Now += lasts
	th.Outer(family, selector, object, arg, begin, more)
}

// Outer adds a call that began at begin and ends now, around the calls since.
func (th *Thread) Outer(family wire.Family, selector string, object wire.ObjectID, arg uint64, begin int64,
	more *wire.More) {
	r := wire.Record{Begin: wire.Ticks(Epoch + begin), End: wire.Ticks(Epoch + th.Now), Object: object, Arg: arg,
		Call: wire.MustLookup(family, selector)}
	if family == wire.FamilyCommandBuffer {
		r.Flags = 1 << wire.ClassShift
	}
	th.add(r, more)
}

// NewQueue makes the process's queue.
func (th *Thread) NewQueue(label string) {
	th.Process.Queue = th.NewObject()
	th.Call(wire.FamilyDevice, "newCommandQueue", th.Device, uint64(th.Queue), 1000, &wire.More{X0: 64})
	th.Call(wire.FamilyQueue, "setLabel:", th.Queue, th.Text(label), 100, nil)
}

// NewPipeline makes a pipeline state of a kernel.
func (th *Thread) NewPipeline(kernel string) wire.ObjectID {
	p := th.NewObject()
	th.Call(wire.FamilyDevice, "newComputePipelineStateWithFunction:error:", th.Device, uint64(p), 50_000,
		&wire.More{X0: th.Text(kernel)})
	return p
}

// A Step is one command buffer; times are in nanoseconds.
type Step struct {
	Pipeline wire.ObjectID
	Label    string
	Encode   int64 // length of the dispatch call
	Commit   int64 // length of commit
	Delay    int64 // from the end of commit to the beginning on the GPU
	GPU      int64 // length on the GPU
	Notify   int64 // from the end on the GPU to the return of the wait
}

// Run makes, fills, commits and waits for a command buffer and returns its number.
func (th *Thread) Run(s Step) wire.ObjectID {
	buffer, encoder := th.NewObject(), th.NewObject()
	th.Call(wire.FamilyQueue, "commandBuffer", th.Queue, uint64(buffer), 500, nil)
	if s.Label != "" {
		th.Call(wire.FamilyCommandBuffer, "setLabel:", buffer, th.Text(s.Label), 50, nil)
	}
	th.Call(wire.FamilyCommandBuffer, "computeCommandEncoder", buffer, uint64(encoder), 400, nil)
	th.Call(wire.FamilyEncoder, "setComputePipelineState:", encoder, uint64(s.Pipeline), 60, nil)
	th.Call(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:", encoder, 4096, s.Encode,
		&wire.More{X0: 4096 | 1<<32, X1: 1 | 256<<32, X2: 1 | 1<<32})
	th.Call(wire.FamilyEncoder, "endEncoding", encoder, 0, 80, nil)
	th.Call(wire.FamilyCommandBuffer, "commit", buffer, 0, s.Commit, nil)
	th.completes(buffer, s)
	return buffer
}

// Completes waits for a command buffer, which the GPU comes to after so many nanoseconds and works on for so many.
func (th *Thread) Completes(buffer wire.ObjectID, delay, gpu int64) {
	th.completes(buffer, Step{Delay: delay, GPU: gpu, Notify: 1000})
}

func (th *Thread) completes(buffer wire.ObjectID, s Step) {
	begin := Epoch + th.Now + s.Delay
	end := begin + s.GPU
	th.Call(wire.FamilyCommandBuffer, "waitUntilCompleted", buffer, 0, s.Delay+s.GPU+s.Notify, nil)
	done := wire.Record{Begin: wire.Ticks(end + s.Notify/2), End: wire.Ticks(end + s.Notify/2 + 100), Object: buffer,
		Arg: 4, Call: wire.CallCompleted}
	th.add(done, &wire.More{X0: uint64(begin), X1: uint64(end), X2: uint64(begin - s.Delay/2), X3: uint32(s.Delay / 4)})
}

// ThreadCount is how many threads the process has.
func (p *Process) ThreadCount() uint64 { return uint64(len(p.threads)) }

// Scope adds a name that the program gave to the time from begin to now.
func (th *Thread) Scope(name string, begin int64) {
	th.add(wire.Record{Begin: wire.Ticks(Epoch + begin), End: wire.Ticks(Epoch + th.Now), Arg: th.Text(name),
		Call: wire.MustLookup(wire.FamilyTracer, "scope")}, nil)
}

// Layer says that a call of a kernel or graph of that class begins now; Outer ends it.
func (th *Thread) Layer(graph bool, class string) {
	at, kind := wire.Ticks(Epoch+th.Now), wire.ObjectID(0)
	if graph {
		kind = 1
	}
	th.add(wire.Record{Begin: at, End: at, Object: kind, Arg: th.Text(class), Call: wire.CallLayer}, nil)
}

// Canary adds a call of the self-check that was seen.
func (th *Thread) Canary(call wire.Call) {
	at := wire.Ticks(Epoch + th.Now)
	th.add(wire.Record{Begin: at, End: at, Arg: uint64(call), Call: wire.CallCanary}, nil)
}

// Mark adds a name that the program gave to this moment.
func (th *Thread) Mark(name string) {
	at := wire.Ticks(Epoch + th.Now)
	th.add(wire.Record{Begin: at, End: at, Arg: th.Text(name), Call: wire.MustLookup(wire.FamilyTracer, "mark")}, nil)
}

// Opens says that the scope begins which is inside as many others; no record of its end may follow.
func (th *Thread) Opens(name string, depth wire.ObjectID) {
	at := wire.Ticks(Epoch + th.Now)
	th.add(wire.Record{Begin: at, End: at, Object: depth, Arg: th.Text(name), Call: wire.CallScopeBegins}, nil)
}

// DeviceMemory states what the device has allocated for the process now.
func (th *Thread) DeviceMemory(bytes uint64) {
	at := wire.Ticks(Epoch + th.Now)
	th.add(wire.Record{Begin: at, End: at, Object: th.Device, Arg: bytes, Call: wire.CallAllocated}, nil)
}

// flagged gives the first record of a call flags.
func (th *Thread) flagged(flags wire.Flags, call func()) {
	n := len(th.records)
	call()
	th.records[n].Flags |= flags
}

// HoldingInterpreter makes a call of a thread that holds the lock of its language interpreter.
func (th *Thread) HoldingInterpreter(call func()) { th.flagged(wire.HoldsInterpreter, call) }

// TimedOut makes a call that ends without what it waited for.
func (th *Thread) TimedOut(call func()) { th.flagged(wire.Failed, call) }

// Ran says how long the thread has run by now, of one that never waits for a processor.
func (th *Thread) Ran(ns int64) {
	th.file.check(th.file.writer.ThreadTimes(th.index, []wire.ThreadTime{{Thread: th.id, At: Epoch + th.Now, Ran: ns}}))
}

// ProcessWait waits for a child process for so many nanoseconds.
func (th *Thread) ProcessWait(selector, program string, child, lasts int64) {
	th.Call(wire.FamilySignal, selector, 0, uint64(child), lasts, &wire.More{X0: th.Text(program)})
}

// SignalWait waits on a condition variable for so many nanoseconds; the other thread, 0 if it is not known, gives the
// signal late nanoseconds before the end.
func (th *Thread) SignalWait(name string, address, signaller uint64, lasts, late int64) {
	th.Call(wire.FamilySignal, "pthread_cond_wait", 0, signaller, lasts, &wire.More{X0: th.Text(name), X1: address,
		X3: uint32(late)})
}
