package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mtrace/collector/wire"
	"mtrace/fixtures/softmetal/truth"
)

// families of the software Metal's classes, by a part of their names; the first that fits counts.
var familiesOfClasses = []struct {
	part   string
	family wire.Family
}{
	{"IOCommandQueue", wire.FamilyIoQueue}, {"IOCommandBuffer", wire.FamilyIoCommandBuffer},
	{"IndirectCommandBuffer", wire.FamilyResource}, {"IndirectComputeCommand", wire.FamilyIndirectCommand},
	{"IndirectRenderCommand", wire.FamilyIndirectCommand},
	{"CommandQueue_mtlnext", wire.FamilyMtl4Queue}, {"CommandBuffer_mtlnext", wire.FamilyMtl4CommandBuffer},
	{"CommandAllocator", wire.FamilyMtl4Allocator},
	{"ArgumentEncoder", wire.FamilyOther}, {"ArgumentTable", wire.FamilyOther}, {"CounterHeap", wire.FamilyOther},
	{"CounterSampleBuffer", wire.FamilyOther},
	{"Context", wire.FamilyEncoder}, {"CommandEncoder", wire.FamilyEncoder}, {"CommandQueue", wire.FamilyQueue},
	{"CommandBuffer", wire.FamilyCommandBuffer},
	{"ComputePipeline", wire.FamilyPipeline}, {"RenderPipeline", wire.FamilyPipeline}, {"MachineLearningPipelineState",
		wire.FamilyPipeline},
	{"FunctionTable", wire.FamilyResource}, {"Buffer", wire.FamilyResource}, {"Tensor", wire.FamilyResource},
	{"AccelerationStructure", wire.FamilyResource},
	{"_MTLTextureViewPool", wire.FamilyOther}, {"_MTLTexture", wire.FamilyResource},
	{"DynamicLibrary", wire.FamilyDynamicLibrary}, {"Library", wire.FamilyLibrary},
	{"Function", wire.FamilyFunctionObject}, {"Event", wire.FamilyEvent}, {"Fence", wire.FamilyFence},
	{"_MTLHeap", wire.FamilyHeap}, {"Archive", wire.FamilyArchive},
	{"MetalLayer", wire.FamilyLayer}, {"MetalDrawable", wire.FamilyDrawable}, {"ResidencySet", wire.FamilyResidencySet},
	{"CompilerTask", wire.FamilyCompilerTask}, {"Compiler", wire.FamilyCompiler}, {"Device", wire.FamilyDevice},
}

func familyOfClass(class string) wire.Family {
	for _, f := range familiesOfClasses {
		if strings.Contains(class, f.part) {
			return f.family
		}
	}
	return wire.FamilyOther
}

// Kernels and graphs of Metal Performance Shaders and their proxy are no Metal objects, so they have no number.
var withoutNumber = []wire.Family{wire.FamilyMpsKernel, wire.FamilyMpsGraph, wire.FamilyMpsCommandBuffer}

// tableCalls are the rows of the table for recorded calls, by family and selector.
var tableCalls = func() map[wire.Family]map[string]wire.Call {
	known := map[wire.Family]map[string]wire.Call{}
	for c := range wire.Table {
		row := wire.Call(c).Row()
		if row.Group == wire.GroupNone || row.Polls() { // one record stands for many calls, or none is written
			continue
		}
		if known[row.Family] == nil {
			known[row.Family] = map[string]wire.Call{}
		}
		known[row.Family][row.Selector] = wire.Call(c)
	}
	return known
}()

// inTable reports whether a selector is recorded, in any family.
func inTable(selector string) bool {
	for _, rows := range tableCalls {
		if _, there := rows[selector]; there {
			return true
		}
	}
	return false
}

// depthOf is the family whose depth a call counts in: see DEPTH_OF in hooks.c.
func depthOf(f wire.Family) wire.Family {
	if f == wire.FamilyCompiler || f == wire.FamilyArchive || f == wire.FamilyLibrary {
		return wire.FamilyDevice
	}
	return f
}

// A madeCall is a call that the program made, according to the truth file.
type madeCall struct {
	wire.Call
	truth.ObjectID
	result, argument uint64
	words            []uint64
}

// A model is the expected record of a run: per thread and in order the outermost calls of each family, and the number
// of calls made inside others of their family.
type model struct {
	calls  map[uint64][]madeCall
	nested map[wire.Family]uint64
	text   func(uint64) string
}

// modelOf follows each thread's calls. A call of super is no message: whoever replaces the methods of an object's class
// does not see it.
func modelOf(file *truth.File) model {
	m := model{map[uint64][]madeCall{}, map[wire.Family]uint64{}, file.Text}
	classes := map[truth.ObjectID]string{}
	for _, o := range file.Objects {
		classes[o.ID] = o.Class
	}
	callOf := func(c truth.Call) (wire.Call, bool) {
		if c.Object == 0 {
			for _, f := range withoutNumber {
				if call, there := tableCalls[f][c.Selector]; there {
					return call, true
				}
			}
			return 0, false
		}
		call, there := tableCalls[familyOfClass(classes[c.Object])][c.Selector]
		// a command in an indirect command buffer has an encoder's selectors, and no birth of its own
		return call, there && classes[c.Object] != ""
	}
	type depth struct {
		thread truth.ThreadID
		family wire.Family
	}
	end := map[depth]truth.Nanos{}
	stacks := map[truth.ThreadID][]truth.Call{}
	for _, c := range file.Calls {
		stack := stacks[c.Thread]
		for len(stack) > 0 && stack[len(stack)-1].End <= c.Begin && stack[len(stack)-1].Depth >= c.Depth {
			stack = stack[:len(stack)-1]
		}
		super := false
		if n := len(stack); n > 0 {
			super = stack[n-1].Selector == c.Selector && stack[n-1].Object == c.Object && c.Object != 0
		}
		stacks[c.Thread] = append(stack, c)
		call, there := callOf(c)
		if !there {
			continue
		}
		at := depth{c.Thread, depthOf(call.Row().Family)}
		if c.Begin < end[at] {
			if !super {
				m.nested[at.family]++
			}
			continue
		}
		end[at] = max(c.End, c.Begin)
		thread := uint64(c.Thread)
		made := m.calls[thread]
		if call == commitOfCommandBuffer { // the handler that the tracer adds, just before
			for i := len(made) - 1; i >= 0; i-- {
				if made[i].Call == addCompletedHandler {
					made = slices.Delete(made, i, i+1)
					break
				}
			}
		}
		m.calls[thread] = append(made, madeCall{call, c.Object, uint64(c.Result), c.Argument, c.Words})
	}
	return m
}

var (
	commitOfCommandBuffer = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	addCompletedHandler   = wire.MustLookup(wire.FamilyCommandBuffer, "addCompletedHandler:")
	commitPlain           = wire.MustLookup(wire.FamilyMtl4Queue, "commit:count:")
	commitWithOptions     = wire.MustLookup(wire.FamilyMtl4Queue, "commit:count:options:")
)

// sameCall is one name for the commits of Metal 4: the tracer gives one options to get its GPU times.
func sameCall(c wire.Call) wire.Call {
	if c == commitWithOptions {
		return commitPlain
	}
	return c
}

// compareWithTruth checks the trace call by call and thread by thread: the number of each, their order, results,
// arguments and objects, and the number of calls inside calls.
func compareWithTruth(t testing.TB, p *tracee, file *truth.File) {
	t.Helper()
	want, got := modelOf(file), map[uint64][]event{}
	for _, e := range p.events(t) {
		switch e.Call.Row().Family {
		case wire.FamilyTracer, wire.FamilyLock, wire.FamilySignal, wire.FamilyFunction: // truth knows messages only
		default:
			if row := e.Call.Row(); row.Selector != "dealloc" && !row.Polls() { // which the program does not send
				got[e.thread] = append(got[e.thread], e)
			}
		}
	}
	objects := numbering{map[uint64]uint64{}, map[uint64]uint64{}, map[uint64]uint64{}}
	for _, o := range file.Objects {
		if strings.HasPrefix(o.Class, "MTLDebug") {
			objects.wraps[uint64(o.ID)] = uint64(o.Parent)
		}
	}
	texts := map[uint64]string{}
	for _, f := range p.facts(t) {
		if f.Kind == wire.FactString {
			texts[f.Key] = f.Text
		}
	}
	for _, thread := range slices.Sorted(maps.Keys(want.calls)) {
		compareThread(t, thread, want, got[thread], texts, &objects)
	}
	for thread, events := range got {
		if want.calls[thread] == nil && !file.Internal(truth.ThreadID(thread)) {
			t.Errorf("thread %d: %d calls recorded, none made", thread, len(events))
		}
	}
	for family, n := range want.nested {
		var counted uint64
		for i := range p.region.RingsUsed() {
			counted += p.region.Ring(i).Nested(family)
		}
		if counted != n && family != wire.FamilyResource { // a texture that lets its parent go: deallocations are no messages
			t.Errorf("%v: %d calls inside calls counted, %d made", family, counted, n)
		}
	}
}

// compareThread pairs the k-th record of each call with the k-th time that it was made.
func compareThread(t testing.TB, thread uint64, m model, events []event, texts map[uint64]string, objects *numbering) {
	t.Helper()
	made, recorded := map[wire.Call][]madeCall{}, map[wire.Call][]event{}
	for _, c := range m.calls[thread] {
		made[sameCall(c.Call)] = append(made[sameCall(c.Call)], c)
	}
	for _, e := range events {
		recorded[sameCall(e.Call)] = append(recorded[sameCall(e.Call)], e)
	}
	for _, call := range slices.Sorted(maps.Keys(made)) {
		if len(recorded[call]) != len(made[call]) {
			t.Errorf("thread %d, %v of %v: recorded %d, made %d", thread, call, call.Row().Family, len(recorded[call]),
				len(made[call]))
			continue
		}
		for i, c := range made[call] {
			if wrong := m.differs(c, recorded[call][i], texts, objects); wrong != "" {
				t.Errorf("thread %d, %v of %v, number %d: %s", thread, call, call.Row().Family, i+1, wrong)
				break
			}
		}
	}
	for _, call := range slices.Sorted(maps.Keys(recorded)) {
		if made[call] == nil {
			t.Errorf("thread %d, %v of %v: recorded %d, made 0", thread, call, call.Row().Family, len(recorded[call]))
		}
	}
}

// A numbering pairs the truth's object numbers with the trace's, which must be one to one. A wrapper of the validation
// layer and the wrapped object, under whose number it is reported, are one.
type numbering struct{ traced, true, wraps map[uint64]uint64 }

func (n *numbering) pairs(truth, trace uint64) bool {
	if truth == 0 || trace == 0 {
		return truth == trace
	}
	for n.wraps[truth] != 0 {
		truth = n.wraps[truth]
	}
	if n.traced[truth] == 0 && n.true[trace] == 0 {
		n.traced[truth], n.true[trace] = trace, truth
	}
	return n.traced[truth] == trace && n.true[trace] == truth
}

// differs describes how a record differs from the call that was made, or returns "".
func (m model) differs(c madeCall, e event, texts map[uint64]string, objects *numbering) string {
	row := c.Row()
	// A Metal 4 command buffer is another object in the trace each time that it is begun; the truth has one object for
	// all of them.
	if c.ObjectID != 0 && row.Family != wire.FamilyMtl4CommandBuffer && !objects.pairs(uint64(c.ObjectID),
		uint64(e.Object)) {
		return fmt.Sprintf("recorded of object %d; it was of %d, which is %d", e.Object, c.ObjectID,
			objects.traced[uint64(c.ObjectID)])
	}
	switch arg := row.Arg; {
	case arg.Role == wire.RoleMade:
		if (e.Arg == 0) != (c.result == 0) || (e.Flags&wire.Failed != 0) != (c.result == 0) {
			return fmt.Sprintf("recorded as object %d, flags %x; made object %d", e.Arg, e.Flags, c.result)
		}
		if !objects.pairs(c.result, e.Arg) {
			return fmt.Sprintf("recorded as object %d; made %d, which is %d", e.Arg, c.result, objects.traced[c.result])
		}
	case arg.Role.IsText():
		if text := texts[e.Arg]; text != m.text(c.argument) && !cutShort(text, m.text(c.argument)) {
			return fmt.Sprintf("recorded %q, truth %q", text, m.text(c.argument))
		}
	case arg.Role.IsObject():
		if !objects.pairs(c.argument, e.Arg) {
			return fmt.Sprintf("recorded %s %d; it was %d, which is %d", arg.Kind, e.Arg, c.argument, objects.traced[c.argument])
		}
	case arg.Role == wire.RoleDependence: // the tracer's own: see TestBindings
	case arg.Role == wire.RoleNone:
		if e.Arg != 0 {
			return fmt.Sprintf("recorded an argument, %d, where there is none", e.Arg)
		}
	case e.Arg != c.argument:
		return fmt.Sprintf("recorded %d %s, truth %d", e.Arg, arg.Words(), c.argument)
	}
	if failed := e.Flags&wire.Failed != 0; slices.Contains(yesOrNo, row.Selector) && failed != (c.result == 0) {
		return fmt.Sprintf("recorded as failed %v; it returned %d", failed, c.result)
	}
	return m.wordsDiffer(c, e, texts, objects)
}

// yesOrNo are the selectors whose answer NO is recorded as a failure.
var yesOrNo = []string{"waitUntilSignaledValue:timeoutMS:", "serializeToURL:error:",
	"addFunctionWithDescriptor:library:error:", "addLibraryWithDescriptor:error:",
	"addComputePipelineFunctionsWithDescriptor:error:", "addRenderPipelineFunctionsWithDescriptor:error:",
	"addTileRenderPipelineFunctionsWithDescriptor:error:",
	"addMeshRenderPipelineFunctionsWithDescriptor:error:"}

// cutShort reports whether a text is as much of another as fits, up to the last complete character.
func cutShort(text, whole string) bool {
	return len(whole) > wire.MaxFactText && len(text) > wire.MaxFactText-utf8.UTFMax && utf8.ValidString(text) &&
		strings.HasPrefix(whole, text)
}
