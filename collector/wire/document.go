package wire

import (
	"fmt"
	"slices"
	"strings"
)

// Document is the text of docs/wire.md, made from this package's tables. A test compares it with the file;
// `go test ./collector/wire -update` writes it.
func Document() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	table := func(columns ...string) {
		line("| %s |", strings.Join(columns, " | "))
		line("|%s", strings.Repeat("---|", len(columns)))
	}
	words := func(words []word) {
		table("offset", "field", "layout", "meaning")
		for _, w := range words {
			line("| %d | %s | %s | %s |", w.offset, w.name, w.layout, w.meaning)
		}
		line("")
	}
	line("# The wire format, version %d", Version)
	line("")
	line("Made from the tables of `collector/wire` by `go test ./collector/wire -update`. Do not edit.")
	line("")
	line("How the library inside a traced process hands its records to the collector: records and facts in shared " +
		"memory, one ring")
	line("for each thread, and frames over a unix socket that carry copies of both. All integers are little-endian.")
	line("")
	line("## Records")
	line("")
	line("A record is one call, %d bytes, written once, when the call ends.", RecordSize)
	line("")
	table("offset", "field", "layout", "meaning")
	line("| 0 | begin | u64 | ticks of the process's raw clock at entry |")
	line("| 8 | end | u64 | ticks at exit |")
	line("| 16 | arg | u64 | by the call's row below |")
	line("| 24 | object | u32 | number of the receiver, by the call's row; 0 is not known |")
	line("| 28 | call | u16 | row of the table below |")
	line("| 30 | flags | u16 | bit 0: a More record follows; bit 1: the call returned nil, NO or an error; of waits " +
		"bit 2: the thread held the lock of its " +
		"language interpreter, bit 3: it did not; bits 8–15: index of the receiver's class, 0 is unknown |")
	line("")
	line("A More record (call %d) belongs to the record before it and lies in the same bytes: x0, x1, x2 (u64 each) at "+
		"0, 8 and 16,", CallMore)
	line("x3 (u32) at 24, call and flags as above. Objects are numbered from 1 in the order of their creation, for " +
		"each process.")
	line("")
	line("In text, a record is a JSON object: `%s`.",
		AppendText(nil, Record{Begin: 100, End: 230, Object: 7, Call: MustLookup(FamilyCommandBuffer, "commit"),
			Flags: 2 << ClassShift}, nil))
	line("")
	line("## Calls")
	line("")
	line("“new X” is the number given to the object that the call returned, 0 when the call returned nil. The group " +
		"is the part of")
	line("a thread's time that the call counts towards. The effect is what the call does, as far as the analysis " +
		"uses it. Begin and end")
	line("of a completed record are the times at which the tracer's completion handler ran.")
	line("")
	line("A `*` before the selector marks calls whose stack is recorded when stacks are requested: a stack record "+
		"(call %d), written", CallStack)
	line("when the call begins. The stack record ends at the tick at which its call begins. Calls nest and records can " +
		"be lost: a stack")
	line("whose end is no call's begin belongs to a call that did not return or was lost.")
	line("")
	line("“Values N” stands for a list of values that several calls share; the lists follow the table.")
	line("")
	var shared sharedValues
	table("call", "selector or symbol", "family", "group", "effect", "object", "arg", "more")
	for i, row := range Table {
		if i > 0 {
			mark := ""
			if CallHasStack(Call(i)) {
				mark = "* "
			}
			line("| %d | %s`%s` | %s | %s | %s | %s | %s | %s |", i, mark, row.Selector, row.Family, row.Group, row.Effect,
				cell(shared.cell(row.Object.Meaning())), cell(shared.cell(row.Arg.Meaning())),
				cell(shared.cell(row.moreMeanings()...)))
		}
	}
	for i, values := range shared.lists {
		line("")
		line("Values %d:", i+1)
		line("")
		for _, value := range values {
			line("- %s", value)
		}
	}
	line("")
	line("Sampling is the outcome of measuring an encoder's time on the GPU:")
	line("")
	for i, s := range samplings {
		line("- %d: %s", i, s.text)
	}
	line("")
	line("Descriptor is the kind of file that a thread waited for at a file descriptor:")
	line("")
	for i, d := range descriptors {
		line("- %d: %s", i, d.text)
	}
	line("")
	line("## Facts")
	line("")
	line("A process sends each fact once: size u32 (of the whole fact), kind u16, aux u16, key u64, length of the " +
		"text u32, zero " +
		"u32, the text")
	line("(UTF-8, at most %d bytes), zeros up to a multiple of 8. Readers skip kinds they do not know.", MaxFactText)
	line("")
	table("kind", "key", "aux", "text")
	for _, f := range facts {
		line("| %d %s | %s | %s | %s |", f.kind, f.name, f.key, f.aux, f.text)
	}
	line("")
	line("## Frames")
	line("")
	line("A frame is a header of %d bytes (magic %#x u32, kind u16, ring u16, length u32, zero u32, position u64) and "+
		"a payload", FrameHeaderSize, FrameMagic)
	line("of that length, at most %d bytes.", MaxFramePayload)
	line("")
	table("kind", "payload")
	for _, f := range frames {
		line("| %d %s | %s |", f.kind, f.name, f.payload)
	}
	line("")
	line("## Shared memory")
	line("")
	line("%d bytes: a region header of %d bytes, then %d rings. Each ring is a header of %d bytes, %d records and "+
		"%d bytes of facts.", RegionSize, PageSize, RingCount, PageSize, RecordsPerRing, FactsPerRing)
	line("Heads and tails only grow; the slot of a position is the position modulo the capacity. A record is complete " +
		"once head is beyond")
	line("its position; its slot may be overwritten once tail is beyond it. A ring is reused by another thread only " +
		"after its thread has")
	line("exited and all its records are consumed; the next thread's first record is its thread start.")
	line("")
	line("The collector reads the rings in place. When a ring fills quickly, the drainer inside the process sends an " +
		"empty Records frame,")
	line("and the collector reads the rings at once. The drainer itself sends records that nobody has read for a while. " +
		"If the collector")
	line("cannot map the memory, the drainer sends all records. The side that drains holds the claim, so exactly one " +
		"side drains at a time.")
	line("")
	line("The drainer moves the tail only after a whole frame is written, the collector only after it has copied the " +
		"records. If the process")
	line("dies, every record between the last position received by the socket and head is therefore intact in the " +
		"memory. Joined by")
	line("positions, each record occurs once. The claim of a dead process is void.")
	line("")
	line("Region header:")
	line("")
	words(regionWords)
	line("Ring header:")
	line("")
	words(ringWords)
	return strings.TrimSuffix(b.String(), "\n")
}

// cell escapes a text for a cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// sharedValues collects the lists of values that more than one row of the calls' table has and that are too long to be
// repeated in each row. The zero value is ready for use.
type sharedValues struct {
	lists [][]string
}

// longValues is the length in bytes from which a cell of the calls' table is replaced by a reference to a list.
const longValues = 80

// cell is the text of a table cell with the given values: the values themselves if short, otherwise "values N", with N
// the number of the list below the table.
func (s *sharedValues) cell(values ...string) string {
	text := strings.Join(values, "; ")
	if len(text) < longValues {
		return text
	}
	at := slices.IndexFunc(s.lists, func(list []string) bool { return slices.Equal(list, values) })
	if at < 0 {
		at = len(s.lists)
		s.lists = append(s.lists, values)
	}
	return fmt.Sprintf("values %d", at+1)
}
