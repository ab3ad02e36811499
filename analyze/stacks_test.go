package analyze

import (
	"path/filepath"
	"strings"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/validate"
)

// A stackScript writes a trace of one thread, tick by tick, with stacks.
type stackScript struct {
	facts   []wire.Fact
	records []wire.Record
	end     tracefile.End
}

func (s *stackScript) text(text string) wire.StringID {
	s.facts = append(s.facts, wire.Fact{Kind: wire.FactString, Key: uint64(wire.HashString(text)), Text: text})
	return wire.HashString(text)
}

func (s *stackScript) python(function, file string, line uint32) wire.PythonFrame {
	return wire.PythonFrame{Function: s.text(function), File: s.text(file), Line: line}
}

func (s *stackScript) image(start uint64, path string) {
	s.facts = append(s.facts, wire.Image{Start: start, Size: 0x1000, Path: path}.Fact())
}

func (s *stackScript) symbol(address uint64, name string) uint64 {
	s.facts = append(s.facts, wire.Fact{Kind: wire.FactSymbol, Key: address, Text: name})
	return address
}

// stack records a stack that was found by the given tick.
func (s *stackScript) stack(end wire.Ticks, stack wire.Stack, object wire.ObjectID) {
	f := stack.Fact()
	s.facts = append(s.facts, f)
	s.records = append(s.records, wire.Record{Begin: end - 3, End: end, Arg: f.Key, Object: object, Call: wire.CallStack})
}

func (s *stackScript) call(family wire.Family, selector string, begin, end wire.Ticks, object wire.ObjectID,
	arg uint64) {
	s.records = append(s.records, wire.Record{Begin: begin, End: end, Object: object, Arg: arg,
		Call: wire.MustLookup(family, selector)})
}

func (s *stackScript) load(t *testing.T) *Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.mtrace")
	w, err := tracefile.Create(path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	p := w.AddProcess(wire.Hello{PID: 1, Program: "p"})
	records := append([]wire.Record{{Begin: 1, End: 1, Arg: 7, Call: wire.CallThreadStart}}, s.records...)
	s.end.Rings = []tracefile.RingEnd{{Head: uint64(len(records)), Thread: 7, FactsDropped: s.end.Forks}}
	for _, err := range []error{w.Region(p, wire.ClockNanoseconds, 0, 0), w.Facts(p, s.facts),
		w.Records(p, 0, 0, records), w.EndProcess(p, s.end), w.Close(tracefile.Result{})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	problems, err := validate.Trace(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.Contains(p, "which no call has made") {
			t.Error(p)
		}
	}
	trace, err := Load(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// names are the frames' names, innermost first.
func names(s *Stack) string {
	if s == nil {
		return "none"
	}
	var all []string
	for _, f := range s.Frames {
		all = append(all, f.Name)
	}
	if s.Cut {
		all = append(all, "…")
	}
	return strings.Join(all, " ")
}

// A stack belongs to the call that begins where it ends: calls nest, and the record of a call may be lost.
func TestStackOfCall(t *testing.T) {
	s := &stackScript{}
	s.image(0x1000, "/bin/p")
	a, b, c, d := s.symbol(0x1010, "a"), s.symbol(0x1020, "b"), s.symbol(0x1030, "c"), s.symbol(0x1040, "d")
	lost := s.symbol(0x1050, "lost")
	s.stack(100, wire.Stack{Native: []uint64{a}}, 0)                     // of a commit
	s.stack(110, wire.Stack{Native: []uint64{b}}, wire.InterpreterKnown) // of a lock in it
	s.call(wire.FamilyLock, "pthread_mutex_lock", 110, 120, 0, 0)
	s.stack(130, wire.Stack{Native: []uint64{lost}}, 0) // whose call is not in the trace
	s.call(wire.FamilyCommandBuffer, "commit", 100, 150, 5, 0)
	s.call(wire.FamilyCommandBuffer, "waitUntilCompleted", 160, 170, 5, 0) // without a stack
	s.stack(180, wire.Stack{Native: []uint64{c}}, 0)
	s.call(wire.FamilyCommandBuffer, "commit", 180, 190, 6, 0)
	// of a call that never returned
	s.stack(200, wire.Stack{Native: []uint64{d}}, wire.InterpreterKnown|wire.InterpreterHeld)
	s.end.Current = []tracefile.CurrentCall{{Thread: 7, Begin: 200, Object: 6,
		Call: wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")}}
	trace := s.load(t)

	if len(trace.Waits) != 2 || len(trace.CPUWaits.Locks) != 1 || len(trace.CommandBuffers) != 2 {
		t.Fatalf("%d waits, %d locks, %d command buffers", len(trace.Waits), len(trace.CPUWaits.Locks),
			len(trace.CommandBuffers))
	}
	for _, x := range []struct {
		what string
		got  *Stack
		want string
	}{
		{"the commit", trace.CommandBuffers[0].Committed.Stack, "a"},
		{"the lock in it", trace.CPUWaits.Locks[0].Stack, "b"},
		{"the wait without a stack", trace.Waits[0].Stack, "none"},
		{"the other commit", trace.CommandBuffers[1].Committed.Stack, "c"},
		{"the wait that did not return", trace.Waits[1].Stack, "d"},
	} {
		if got := names(x.got); got != x.want {
			t.Errorf("%s has the stack %q, want %q", x.what, got, x.want)
		}
	}
	if trace.Waits[0].Interpreter != InterpreterNotKnown || trace.CPUWaits.Locks[0].Interpreter != InterpreterFree ||
		trace.Waits[1].Interpreter != InterpreterHeld {
		t.Errorf("interpreter's lock: %v, %v, %v", trace.Waits[0].Interpreter, trace.CPUWaits.Locks[0].Interpreter,
			trace.Waits[1].Interpreter)
	}
	if want := (Capture{Stacks: 5, Took: 15}); trace.Recording.Stacks != want {
		t.Errorf("%+v, want %+v", trace.Recording.Stacks, want)
	}
	if len(trace.Unfinished) != 1 || names(trace.Unfinished[0].Stack) != "d" {
		t.Errorf("unfinished %+v", trace.Unfinished)
	}
	for _, stat := range trace.Calls {
		count, exclusive := int64(0), Nanos(0)
		for _, f := range stat.From {
			count, exclusive = count+f.Count, exclusive+f.Exclusive
		}
		if count != stat.Count || exclusive != stat.Exclusive[trace.Threads[0]] {
			t.Errorf("%s: from its stacks %d calls and %d ns, in all %d and %d", stat.Selector, count, exclusive, stat.Count,
				stat.Exclusive[trace.Threads[0]])
		}
	}
}

// Runs of equal dispatches are stored as one, but not dispatches from different places.
func TestStacksSplitDispatches(t *testing.T) {
	s := &stackScript{}
	s.call(wire.FamilyCommandBuffer, "computeCommandEncoder", 10, 11, 5, 6)
	at := wire.Ticks(20)
	for _, address := range []uint64{0x10, 0x10, 0x20, 0x20, 0x20, 0x10} {
		s.stack(at, wire.Stack{Native: []uint64{address}}, 0)
		s.call(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:", at, at+1, 6, 64)
		at += 10
	}
	trace := s.load(t)
	var got []int
	for _, d := range trace.CommandBuffers[0].Encoders[0].Dispatches {
		got = append(got, d.Count)
		if d.Stack == nil || len(d.Stack.Frames) != 1 {
			t.Errorf("a dispatch has the stack %q", names(d.Stack))
		}
	}
	if len(got) != 3 || got[0] != 2 || got[1] != 3 || got[2] != 1 || len(trace.Stacks) != 2 {
		t.Errorf("runs of %v dispatches with %d stacks", got, len(trace.Stacks))
	}
}

// The frames of a stack, from the bytes on the wire to the model.
func TestStackFrames(t *testing.T) {
	const python, extension, program, tracer = 0x10000, 0x20000, 0x30000, 0x40000
	for name, c := range map[string]struct {
		make func(s *stackScript) wire.Stack
		want string
	}{
		"native": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{s.symbol(program+1, "leaf"), s.symbol(program+2, "main")}}
		}, "leaf main"},
		"C++": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{s.symbol(program+1, "_ZN2at6native9addmm_mpsERKNS_6TensorE")}}
		}, "at::native::addmm_mps"},
		"no name": {func(s *stackScript) wire.Stack { return wire.Stack{Native: []uint64{program + 0x10, 0x99}} },
			"prog+0x10 …"},
		"cut": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{s.symbol(program+1, "leaf")}, CutNative: true}
		}, "leaf …"},
		"Python in the interpreter's place": {func(s *stackScript) wire.Stack {
			return wire.Stack{
				Native: []uint64{s.symbol(extension+1, "commit"), s.symbol(extension+2, "call"),
					s.symbol(python+1, "_PyEval_EvalFrameDefault"), s.symbol(extension+3, "again"),
					s.symbol(python+2, "PyObject_Call"), s.symbol(program+1, "embedder")},
				Python:    []wire.PythonFrame{s.python("step", "a.py", 3), s.python("<module>", "b.py", 9)},
				CutNative: true,
			}
		}, "commit call step <module> embedder"},
		"Python where native frames end": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{s.symbol(extension+1, "commit")},
				Python: []wire.PythonFrame{s.python("step", "a.py", 3)}}
		}, "commit step"},
		"Python alone, cut": {func(s *stackScript) wire.Stack {
			return wire.Stack{Python: []wire.PythonFrame{s.python("step", "a.py", 3)}, CutPython: true}
		}, "step …"},
		"an interpreter without frames of Python": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{s.symbol(extension+1, "commit"), s.symbol(python+1, "take_gil")}}
		}, "commit take_gil"},
		// Code without frame pointers: the register's value was mistaken for a frame pointer, and the value at that
		// address for a return address.
		"stray, no image": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{s.symbol(program+1, "leaf"), 0x99, s.symbol(program+2, "main"), 0x98}}
		}, "leaf 0x99 main …"},
		"stray, no call": {func(s *stackScript) wire.Stack {
			s.facts = append(s.facts, wire.Fact{Kind: wire.FactSymbol, Key: program + 5, Aux: 1, Text: "chance"})
			return wire.Stack{Native: []uint64{s.symbol(program+1, "leaf"), program + 5, s.symbol(program+2, "main")}}
		}, "leaf …"},
		"the tracer's own": {func(s *stackScript) wire.Stack {
			return wire.Stack{Native: []uint64{tracer + 1, s.symbol(program+1, "inner"), tracer + 2,
				s.symbol(program+2, "outer")}}
		}, "inner outer"},
	} {
		s := &stackScript{}
		s.image(python, "/usr/lib/libpython3.11.so.1.0")
		s.image(extension, "/usr/lib/python3/_torch.cpython-311.so")
		s.image(program, "/bin/prog")
		s.image(tracer, "/opt/libmtrace.so")
		s.stack(100, c.make(s), 0)
		s.call(wire.FamilyCommandBuffer, "commit", 100, 110, 5, 0)
		trace := s.load(t)
		if got := names(trace.CommandBuffers[0].Committed.Stack); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestIsInterpreter(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/bin/python3.11": true, "/usr/bin/python3": true, "/x/libpython3.13t.so.1.0": true,
		"/x/libpython3.9.dylib": true,
		"/Library/Frameworks/Python.framework/Versions/3.12/Python": true, "/usr/bin/python3.11d": true,
		"/x/libtorch_python.so": false, "/x/_ctypes.cpython-311-x86_64-linux-gnu.so": false, "/x/pythonic": false,
		"/bin/p": false,
	} {
		if got := (&Frame{Image: &Image{Path: path}}).isInterpreter(); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if !(&Frame{Name: "_PyEval_EvalFrameDefault", Image: &Image{Path: "/bin/app"}}).isInterpreter() {
		t.Error("an interpreter that is linked into a program is not seen")
	}
}

// A stack whose frames were dropped is counted, not made up.
func TestUndefinedStack(t *testing.T) {
	s := &stackScript{}
	s.stack(100, wire.Stack{Native: []uint64{1}}, 0)
	s.facts = nil
	s.end.Forks = 1 // stands for a dropped fact
	s.call(wire.FamilyCommandBuffer, "commit", 100, 110, 5, 0)
	trace := s.load(t)
	if got := names(trace.CommandBuffers[0].Committed.Stack); got != "none" || trace.Recording.Stacks.Undefined != 1 {
		t.Errorf("stack %q, %+v", got, trace.Recording.Stacks)
	}
}
