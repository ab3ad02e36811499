package wire

import (
	"fmt"
	"strings"
)

// CName returns the name of the call in the generated C header: MT_CALL_family_selector, with an underscore for each
// colon and blank.
func (c Call) CName() string {
	r := c.Row()
	name := strings.NewReplacer(":", "_", " ", "_").Replace(r.Selector)
	if c == CallNone {
		name = "none"
	}
	return "MT_CALL_" + r.Family.String() + "_" + name
}

// CHeader returns the text of interpose/wire.h, which declares the calls and the layout of the shared memory for the
// C code. A test compares it with the file, and `go test ./collector/wire -update` writes the file.
func CHeader() string {
	var b strings.Builder
	b.WriteString("// Made from collector/wire by `go test ./collector/wire -update`. Do not edit.\n")
	b.WriteString("#ifndef MTRACE_WIRE_H\n#define MTRACE_WIRE_H\n#include <stdint.h>\n\n")
	def := func(name string, value any) { fmt.Fprintf(&b, "#define MT_%s %v\n", name, value) }
	constant := func(name string) string { return strings.ToUpper(strings.ReplaceAll(name, " ", "_")) }
	def("WIRE_VERSION", Version)
	def("REGION_MAGIC", fmt.Sprintf("0x%xull", RegionMagic))
	def("PAGE_SIZE", PageSize)
	def("RING_COUNT", RingCount)
	def("RECORDS_PER_RING", RecordsPerRing)
	def("CHUNK_RECORDS", ChunkRecords)
	def("CHUNKS_PER_RING", ChunksPerRing)
	def("FACTS_PER_RING", FactsPerRing)
	def("RING_STRIDE", fmt.Sprintf("%dull", RingStride))
	def("REGION_SIZE", fmt.Sprintf("%dull", RegionSize))
	def("CHILDREN_SIZE", ChildrenSize)
	def("CHILDREN_MOST", ChildrenMost)
	def("CHILD_FORKED", fmt.Sprintf("0x%xu", uint32(childForked)))
	def("RECORD_SIZE", RecordSize)
	def("MAX_FACT_TEXT", MaxFactText)
	def("NESTED_FAMILIES", NestedFamilies)
	def("UNSEEN_DEVICE", UnseenDevice)
	def("NOT_TRACED", NotTraced)
	def("WAITS_UNSEEN", WaitsUnseen)
	def("FRAME_MAGIC", fmt.Sprintf("0x%xu", FrameMagic))
	def("FRAME_HEADER_SIZE", FrameHeaderSize)
	def("THREAD_TIME_SIZE", ThreadTimeSize)
	def("THREAD_TIME_WHOLE_MACHINE", fmt.Sprintf("0x%xull", uint64(WholeMachine)))
	def("THREAD_TIME_WAIT_NOT_KNOWN", fmt.Sprintf("(%d)", WaitNotKnown))
	b.WriteString("\n")
	for _, table := range []struct {
		prefix string
		words  []word
	}{{"REGION_", regionWords}, {"RING_", ringWords}} {
		for _, w := range table.words {
			def(table.prefix+constant(w.name)+"_OFFSET", w.offset)
		}
	}
	b.WriteString("\n")
	def("MAX_NATIVE_FRAMES", MaxNativeFrames)
	def("MAX_PYTHON_FRAMES", MaxPythonFrames)
	def("STACK_CUT_NATIVE", stackCutNative)
	def("STACK_CUT_PYTHON", stackCutPython)
	def("SIGNAL_GIVEN_BACK", uint32(SignalGivenBack))
	def("SIGNAL_FETCHED", uint32(SignalFetched))
	def("INTERPRETER_HELD", uint32(InterpreterHeld))
	def("INTERPRETER_KNOWN", uint32(InterpreterKnown))
	b.WriteString("\n")
	def("CLOCK_NANOSECONDS", uint32(ClockNanoseconds))
	def("CLOCK_TSC", uint32(ClockTSC))
	def("CLOCK_MACH", uint32(ClockMach))
	def("RING_FREE", uint32(RingFree))
	def("RING_LIVE", uint32(RingLive))
	def("RING_EXITED", uint32(RingExited))
	def("CLAIM_NOBODY", uint32(ClaimNobody))
	def("CLAIM_DRAINER", uint32(ClaimDrainer))
	def("CLAIM_COLLECTOR", uint32(ClaimCollector))
	for _, d := range []struct {
		name string
		kind DelayKind
	}{{"CALLS", DelayCalls}, {"LOCK", DelayLock}, {"WAITS", DelayWaits}, {"OWN", DelayOwn}, {"HANDLERS", DelayHandlers},
		{"PAUSES", DelayPauses}, {"OTHERS", DelayOthers}, {"SLEEPS", DelaySleeps}, {"ITSELF", DelayItself}} {
		def("DELAY_"+d.name, uint32(d.kind))
	}
	def("DELAY_CALL_WORDS", DelayCallWords)
	def("DELAY_SHORTEST_SLEEP", ShortestSleep.Nanoseconds())
	def("FIRST_LOCK", fmt.Sprintf("%du", uint32(FirstLock)))
	def("FLAG_HAS_MORE", uint16(HasMore))
	def("FLAG_FAILED", uint16(Failed))
	def("FLAG_HOLDS_INTERPRETER", uint16(HoldsInterpreter))
	def("FLAG_LACKS_INTERPRETER", uint16(LacksInterpreter))
	def("FLAG_CLASS_SHIFT", ClassShift)
	for i, s := range samplings {
		def("SAMPLING_"+constant(s.name), i)
	}
	for i, d := range descriptors {
		def("DESCRIPTOR_"+constant(d.name), i)
	}
	for _, f := range facts {
		def("FACT_"+constant(f.name), uint16(f.kind))
	}
	for _, f := range frames {
		def("FRAME_"+constant(f.name), uint16(f.kind))
	}
	def("TOKEN_SIZE", uint16(TokenSize))
	def("TOKEN_VARIABLE", fmt.Sprintf("%q", TokenVariable))
	b.WriteString("\nenum {\n")
	for i := range familyNames {
		fmt.Fprintf(&b, "  MT_FAMILY_%s = %d,\n", Family(i), i)
	}
	fmt.Fprintf(&b, "  MT_FAMILY_COUNT = %d\n};\n\nenum {\n", len(familyNames))
	for i := range Table {
		b.WriteString(enumLine(Call(i).CName(), i))
	}
	fmt.Fprintf(&b, "  MT_CALL_COUNT = %d\n};\n\n", len(Table))
	b.WriteString("// The selectors and symbols, by call: initializes an array of MT_CALL_COUNT strings.\n" +
		"#define MT_SELECTORS { \\\n")
	for _, row := range Table {
		b.WriteString(selectorLine(row.Selector))
	}
	b.WriteString("}\n\n" +
		"// Initializes an array that says of each call, by number, whether its stack is recorded when stacks are.\n" +
		"#define MT_CALLS_WITH_STACK { \\\n")
	for i := range Table {
		if CallHasStack(Call(i)) {
			fmt.Fprintf(&b, "  [%s] = 1, \\\n", Call(i).CName())
		}
	}
	b.WriteString("}\n#endif\n")
	return b.String()
}

// headerColumns is the length above which a line of the generated header is broken in two.
const headerColumns = 116

// enumLine returns the declaration of a constant in a C enum, on two lines if its name is long.
func enumLine(name string, value int) string {
	if len(name) < headerColumns-len("   = 999,") {
		return fmt.Sprintf("  %s = %d,\n", name, value)
	}
	return fmt.Sprintf("  %s\n      = %d,\n", name, value)
}

// selectorLine returns one string of the C array of selectors. A long selector is written as two literals on two
// lines, which C joins.
func selectorLine(selector string) string {
	if len(selector) <= headerColumns {
		return fmt.Sprintf("  %q, \\\n", selector)
	}
	split := strings.LastIndexByte(selector[:headerColumns], ':') + 1
	return fmt.Sprintf("  %q \\\n      %q, \\\n", selector[:split], selector[split:])
}
