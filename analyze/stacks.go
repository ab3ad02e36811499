package analyze

import (
	"encoding/binary"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"mtrace/collector/wire"
)

// A stackTable builds the Stacks of one process from the trace's stack records.
type stackTable struct {
	process *processLoader
	images  []*Image
	byID    numbering // by the stack's ID in the trace: its index in known
	known   []*Stack  // nil where the trace does not have the stack
	// keyed by the numbers of the frames. Two recorded stacks may become equal once the Python interpreter's own frames
	// are removed; they then share a Stack
	byFrames map[string]*Stack
	native   map[uint64]int32
	python   map[wire.PythonFrame]int32
	frames   []*Frame // indexed by the frame's number
	all      []*Stack
	unnamed  int
}

// An openStack is a stack record whose call is not read yet. The tracer writes the stack when a call begins, and the
// call's record when it ends.
type openStack struct {
	end         wire.Ticks
	stack       *Stack
	interpreter InterpreterLock
}

// openStacks are the stack records of one thread whose calls are not read yet, in order of time. Calls nest, so the
// last stack belongs to the innermost call.
type openStacks struct{ pending []openStack }

// mostOpen limits the number of pending stacks: if the record of a call was lost, its stack would stay forever.
const mostOpen = 256

func (o *openStacks) add(s openStack) {
	if len(o.pending) == mostOpen {
		o.pending = append(o.pending[:0], o.pending[mostOpen/2:]...)
	}
	o.pending = append(o.pending, s)
}

// of returns the stack of the call that began at a tick, if a stack was recorded. It drops stacks of calls that
// began later: such a call was nested in this one, so its record would have come before, and was lost.
func (o *openStacks) of(begin wire.Ticks) (*Stack, InterpreterLock) {
	n := len(o.pending)
	for n > 0 && o.pending[n-1].end > begin {
		n--
	}
	if n == 0 || o.pending[n-1].end != begin {
		o.pending = o.pending[:n]
		return nil, InterpreterNotKnown
	}
	s := o.pending[n-1]
	o.pending = o.pending[:n-1]
	return s.stack, s.interpreter
}

// seeStack stores a stack record until the record of its call is read, and counts the cost of recording it.
func (c *cursor) seeStack(r *wire.Record) {
	o := openStack{end: r.End, stack: c.process.stacks.get(wire.StackID(r.Arg))}
	switch {
	case r.Object&wire.InterpreterKnown == 0:
	case r.Object&wire.InterpreterHeld != 0:
		o.interpreter = InterpreterHeld
	default:
		o.interpreter = InterpreterFree
	}
	c.stacks.add(o)
	at := c.process.clock.interval(r.Begin, r.End)
	if _, visible := c.loader.clip(Interval{at.Begin, at.Begin}); !visible {
		return
	}
	sum := &c.trace.Recording.Stacks
	sum.Stacks++
	sum.Took += min(at.Length(), longestTime)
	if o.stack == nil {
		sum.Undefined++
	}
}

// interpreterOf returns whether the thread held CPython's GIL, from the flags of a wait's record. The record of a
// wait has these flags even if no stack was recorded.
func interpreterOf(f wire.Flags) InterpreterLock {
	if f&wire.HoldsInterpreter != 0 {
		return InterpreterHeld
	}
	return InterpreterFree
}

func newStackTable(p *processLoader) *stackTable {
	t := &stackTable{process: p, byFrames: map[string]*Stack{}, native: map[uint64]int32{},
		python: map[wire.PythonFrame]int32{}}
	for _, i := range p.file.Code.Images {
		t.images = append(t.images, &Image{Start: i.Start, Size: i.Size, BuildID: i.BuildID, Path: i.Path})
	}
	return t
}

// get returns the stack with a number; nil if the trace does not contain it.
func (t *stackTable) get(id wire.StackID) *Stack {
	if n, known := t.byID.find(uint64(id)); known {
		return t.known[n]
	}
	var s *Stack
	if recorded, there := t.process.file.Code.Stacks[id]; there {
		s = t.make(&recorded)
	}
	t.byID.set(uint64(id), int32(len(t.known)))
	t.known = append(t.known, s)
	return s
}

func (t *stackTable) make(recorded *wire.Stack) *Stack {
	addresses, stray := t.code(recorded.Native)
	native := make([]int32, len(addresses))
	for i, address := range addresses {
		native[i] = t.nativeFrame(address)
	}
	python := make([]int32, len(recorded.Python))
	for i, f := range recorded.Python {
		python[i] = t.pythonFrame(f)
	}
	numbers := t.merge(native, python)
	key := make([]byte, 0, 4*len(numbers)+1)
	for _, n := range numbers {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	cut := recorded.CutPython || (recorded.CutNative || stray) && len(python) == 0
	if cut {
		key = append(key, 1)
	}
	s := t.byFrames[string(key)]
	if s == nil {
		s = &Stack{Process: t.process.Process, Cut: cut}
		for _, n := range numbers {
			s.Frames = append(s.Frames, t.frames[n])
		}
		t.byFrames[string(key)] = s
		t.all = append(t.all, s)
		s.number = uint32(len(t.all))
		s.brokenIn = t.brokenIn(recorded, native)
	} else if s.brokenIn != nil { // an equal stack is known, but its interpreter frames may differ
		s.brokenIn = t.brokenIn(recorded, native)
	}
	return s
}

// code returns the valid addresses of a recorded native stack, without functions of the tracer itself. If a function
// has no frame pointer, the addresses after it are arbitrary register contents; code cuts them off and sets stray.
// The innermost address is always valid.
func (t *stackTable) code(addresses []uint64) (are []uint64, stray bool) {
	whole := len(addresses)
	for i, a := range addresses {
		if i > 0 && t.process.file.Code.Symbols[a].NoCall {
			addresses = addresses[:i]
			break
		}
	}
	for n := len(addresses); n > 1 && len(t.images) > 0 && t.imageOf(addresses[n-1]) == nil; n-- {
		addresses = addresses[:n-1]
	}
	stray = len(addresses) < whole
	return slices.DeleteFunc(slices.Clone(addresses), func(a uint64) bool { return t.imageOf(a).isTracer() }), stray
}

// isTracer reports whether the image is mtrace's own library, whose functions must not appear in stacks.
func (i *Image) isTracer() bool {
	return i != nil && strings.HasPrefix(path.Base(i.Path), "libmtrace.")
}

// merge replaces the Python interpreter's native frames by the recorded Python frames. Native frames between two
// interpreter frames are dropped too, because their position among the Python frames is not known.
func (t *stackTable) merge(native, python []int32) []int32 {
	first, last := len(native), len(native)-1
	for i, n := range native {
		if t.frames[n].isInterpreter() {
			first, last = min(first, i), i
		}
	}
	if len(python) == 0 {
		return native
	}
	merged := append([]int32(nil), native[:first]...)
	merged = append(merged, python...)
	return append(merged, native[last+1:]...)
}

// interpreters matches the file names of CPython's program and library: python3.11, libpython3.11.so.1.0, and
// "Python" in the macOS framework.
var interpreters = regexp.MustCompile(`^(lib)?[Pp]ython[0-9.]*[a-z]?(\.so[0-9.]*|\.dylib)?$`)

// isInterpreter reports whether a native frame is code of CPython, which may also be linked into another program.
func (f *Frame) isInterpreter() bool {
	return f.Image != nil && interpreters.MatchString(path.Base(f.Image.Path)) || strings.HasPrefix(f.Name, "_PyEval_")
}

func (t *stackTable) nativeFrame(address uint64) int32 {
	if n, known := t.native[address]; known {
		return n
	}
	symbol := t.process.file.Code.Symbols[address]
	f := &Frame{Name: demangled(symbol.Name), File: symbol.File, Line: int(symbol.Line), Address: address,
		Image: t.imageOf(address)}
	if f.Name == "" {
		f.Unnamed = true
		t.unnamed++
		f.Name = fmt.Sprintf("%#x", address)
		if f.Image != nil {
			f.Name = fmt.Sprintf("%s+%#x", path.Base(f.Image.Path), address-f.Image.Start)
		}
	}
	t.native[address] = t.number(f)
	return t.native[address]
}

// demangled returns a C++, Rust or Swift symbol as it is in the source. Parameter lists are dropped, because they are
// long and the surrounding frames identify the function.
func demangled(name string) string {
	return RustName(demangle.Filter(name, demangle.NoParams, demangle.NoTemplateParams))
}

// imageOf returns the image (file of machine code) that a return address belongs to; nil if there is none. A return
// address points behind its call instruction, so it may be equal to the image's end. If several images were mapped
// at that address over time, imageOf returns the last one.
func (t *stackTable) imageOf(address uint64) *Image {
	for i := len(t.images) - 1; i >= 0; i-- {
		if at := t.images[i]; address > at.Start && address-1-at.Start < at.Size {
			return at
		}
	}
	return nil
}

func (t *stackTable) pythonFrame(p wire.PythonFrame) int32 {
	if n, known := t.python[p]; known {
		return n
	}
	f := &Frame{Name: t.process.text(uint64(p.Function)), File: t.process.text(uint64(p.File)), Line: int(p.Line),
		Python: true}
	if f.Name == "" {
		f.Name, f.Unnamed = "(a Python function without a name)", true
	}
	t.python[p] = t.number(f)
	return t.python[p]
}

func (t *stackTable) number(f *Frame) int32 {
	t.frames = append(t.frames, f)
	return int32(len(t.frames) - 1)
}

// brokenIn returns the image (file of machine code) without frame pointers at which the walk of a recorded stack
// stopped; nil if the stack is complete. A stack that reaches the Python interpreter counts as complete, because the
// Python frames have the callers.
func (t *stackTable) brokenIn(recorded *wire.Stack, native []int32) *Image {
	if len(native) == 0 || recorded.CutNative {
		return nil
	}
	last := t.frames[native[len(native)-1]]
	if last.Image == nil || stackEnds.MatchString(last.Image.Path) || slices.Contains(stackStarts, last.Name) ||
		slices.ContainsFunc(native, func(n int32) bool { return t.frames[n].isInterpreter() }) {
		return nil
	}
	return last.Image
}
