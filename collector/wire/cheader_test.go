package wire

import (
	"fmt"
	"strings"
)

// CHeader returns the text of interpose/wire.h, which declares the calls and the layout of the shared memory for the
// C code. A test compares it with the file, and `go test ./collector/wire -update` writes the file.
func CHeader() string {
	h := &cHeader{}
	h.WriteString("// Made from collector/wire by `go test ./collector/wire -update`. Do not edit.\n")
	h.WriteString("#ifndef MTRACE_WIRE_H\n#define MTRACE_WIRE_H\n#include <stdint.h>\n\n")
	h.sizes()
	h.WriteString("\n")
	h.offsets()
	h.WriteString("\n")
	h.stacks()
	h.WriteString("\n")
	h.values()
	h.enums()
	h.tables()
	h.WriteString("#endif\n")
	return h.String()
}

// A cHeader is the text of the C header so far.
type cHeader struct{ strings.Builder }

// define writes the definition of a constant, with the prefix MT_.
func (h *cHeader) define(name string, value any) {
	fmt.Fprintf(h, "#define MT_%s %v\n", strings.ToUpper(strings.ReplaceAll(name, " ", "_")), value)
}

// sizes defines versions, magic numbers, and sizes of the shared memory, of records and of frames.
func (h *cHeader) sizes() {
	h.define("WIRE_VERSION", Version)
	h.define("REGION_MAGIC", fmt.Sprintf("0x%xull", RegionMagic))
	h.define("PAGE_SIZE", PageSize)
	h.define("RING_COUNT", RingCount)
	h.define("RECORDS_PER_RING", RecordsPerRing)
	h.define("CHUNK_RECORDS", ChunkRecords)
	h.define("CHUNKS_PER_RING", ChunksPerRing)
	h.define("FACTS_PER_RING", FactsPerRing)
	h.define("RING_STRIDE", fmt.Sprintf("%dull", RingStride))
	h.define("REGION_SIZE", fmt.Sprintf("%dull", RegionSize))
	h.define("CHILDREN_SIZE", ChildrenSize)
	h.define("CHILDREN_MOST", ChildrenMost)
	h.define("CHILD_FORKED", fmt.Sprintf("0x%xu", uint32(childForked)))
	h.define("RECORD_SIZE", RecordSize)
	h.define("MAX_FACT_TEXT", MaxFactText)
	h.define("NESTED_FAMILIES", NestedFamilies)
	h.define("UNSEEN_DEVICE", UnseenDevice)
	h.define("NOT_TRACED", NotTraced)
	h.define("WAITS_UNSEEN", WaitsUnseen)
	h.define("FRAME_MAGIC", fmt.Sprintf("0x%xu", FrameMagic))
	h.define("FRAME_HEADER_SIZE", FrameHeaderSize)
	h.define("THREAD_TIME_SIZE", ThreadTimeSize)
	h.define("THREAD_TIME_WHOLE_MACHINE", fmt.Sprintf("0x%xull", uint64(WholeMachine)))
	h.define("THREAD_TIME_WAIT_NOT_KNOWN", fmt.Sprintf("(%d)", WaitNotKnown))
}

// offsets defines where the words of the region and of a ring are in the shared memory.
func (h *cHeader) offsets() {
	for _, table := range []struct {
		prefix string
		words  []word
	}{{"REGION_", regionWords}, {"RING_", ringWords}} {
		for _, w := range table.words {
			h.define(table.prefix+w.name+"_OFFSET", w.offset)
		}
	}
}

// stacks defines the values that records about stacks, signals and the interpreter have.
func (h *cHeader) stacks() {
	h.define("MAX_NATIVE_FRAMES", MaxNativeFrames)
	h.define("MAX_PYTHON_FRAMES", MaxPythonFrames)
	h.define("STACK_CUT_NATIVE", stackCutNative)
	h.define("STACK_CUT_PYTHON", stackCutPython)
	h.define("SIGNAL_GIVEN_BACK", uint32(SignalGivenBack))
	h.define("SIGNAL_FETCHED", uint32(SignalFetched))
	h.define("INTERPRETER_HELD", uint32(InterpreterHeld))
	h.define("INTERPRETER_KNOWN", uint32(InterpreterKnown))
}

// values defines the values of states, delays, flags, and kinds of facts and frames.
func (h *cHeader) values() {
	h.define("CLOCK_NANOSECONDS", uint32(ClockNanoseconds))
	h.define("CLOCK_TSC", uint32(ClockTSC))
	h.define("CLOCK_MACH", uint32(ClockMach))
	h.define("RING_FREE", uint32(RingFree))
	h.define("RING_LIVE", uint32(RingLive))
	h.define("RING_EXITED", uint32(RingExited))
	h.define("CLAIM_NOBODY", uint32(ClaimNobody))
	h.define("CLAIM_DRAINER", uint32(ClaimDrainer))
	h.define("CLAIM_COLLECTOR", uint32(ClaimCollector))
	for _, d := range []struct {
		name string
		kind DelayKind
	}{{"CALLS", DelayCalls}, {"LOCK", DelayLock}, {"WAITS", DelayWaits}, {"OWN", DelayOwn}, {"HANDLERS", DelayHandlers},
		{"PAUSES", DelayPauses}, {"OTHERS", DelayOthers}, {"SLEEPS", DelaySleeps}, {"ITSELF", DelayItself}} {
		h.define("DELAY_"+d.name, uint32(d.kind))
	}
	h.define("DELAY_CALL_WORDS", DelayCallWords)
	h.define("DELAY_SHORTEST_SLEEP", ShortestSleep.Nanoseconds())
	h.define("FIRST_LOCK", fmt.Sprintf("%du", uint32(FirstLock)))
	h.define("FLAG_HAS_MORE", uint16(HasMore))
	h.define("FLAG_FAILED", uint16(Failed))
	h.define("FLAG_HOLDS_INTERPRETER", uint16(HoldsInterpreter))
	h.define("FLAG_LACKS_INTERPRETER", uint16(LacksInterpreter))
	h.define("FLAG_CLASS_SHIFT", ClassShift)
	for i, s := range samplings {
		h.define("SAMPLING_"+s.name, i)
	}
	for i, d := range descriptors {
		h.define("DESCRIPTOR_"+d.name, i)
	}
	for _, f := range facts {
		h.define("FACT_"+f.name, uint16(f.kind))
	}
	for _, f := range frames {
		h.define("FRAME_"+f.name, uint16(f.kind))
	}
	h.define("TOKEN_SIZE", uint16(TokenSize))
	h.define("TOKEN_VARIABLE", fmt.Sprintf("%q", TokenVariable))
}

// enums declares the families and the calls.
func (h *cHeader) enums() {
	h.WriteString("\nenum {\n")
	for i := range familyNames {
		fmt.Fprintf(h, "  MT_FAMILY_%s = %d,\n", Family(i), i)
	}
	fmt.Fprintf(h, "  MT_FAMILY_COUNT = %d\n};\n\nenum {\n", len(familyNames))
	for i := range Table {
		h.WriteString(enumLine(Call(i).CName(), i))
	}
	fmt.Fprintf(h, "  MT_CALL_COUNT = %d\n};\n\n", len(Table))
}

// tables defines the initializers of arrays with an element for each call.
func (h *cHeader) tables() {
	h.WriteString("// The selectors and symbols, by call: initializes an array of MT_CALL_COUNT strings.\n" +
		"#define MT_SELECTORS { \\\n")
	for _, row := range Table {
		h.WriteString(selectorLine(row.Selector))
	}
	h.WriteString("}\n\n" +
		"// Initializes an array that says of each call, by number, whether its stack is recorded when stacks are.\n" +
		"#define MT_CALLS_WITH_STACK { \\\n")
	for i := range Table {
		if CallHasStack(Call(i)) {
			fmt.Fprintf(h, "  [%s] = 1, \\\n", Call(i).CName())
		}
	}
	h.WriteString("}\n")
}

// headerColumns is the length above which a line of the generated header is broken in two.
const headerColumns = 112

// enumLine returns the declaration of a constant in a C enum, on two lines if its name is long.
func enumLine(name string, value int) string {
	if len(name) < headerColumns-len("   = 999,") {
		return fmt.Sprintf("  %s = %d,\n", name, value)
	}
	return fmt.Sprintf("  %s\n      = %d,\n", name, value)
}

// selectorLine returns one string of the C array of selectors. A long selector is written as several literals, one per
// line, which C joins.
func selectorLine(selector string) string {
	line := " "
	for len(selector) > headerColumns {
		split := strings.LastIndexByte(selector[:headerColumns], ':') + 1
		line += fmt.Sprintf(" %q \\\n     ", selector[:split])
		selector = selector[split:]
	}
	return line + fmt.Sprintf(" %q, \\\n", selector)
}
