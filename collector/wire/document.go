package wire

import (
	"fmt"
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
	line("“new X” is the number given to the object the call returned, 0 when it returned nil. The group says to which " +
		"part of a")
	line("thread's time the call belongs, the effect what readers have to know of what it does. Begin and end of a " +
		"completed record")
	line("are when the tracer's handler ran.")
	line("")
	line("Of a call with a mark before its selector, `*`, the stack is recorded when stacks are asked for: a stack "+
		"record (call %d),", CallStack)
	line("written when the call begins. It ends at the tick at which its call begins. Calls nest, and a record may be " +
		"lost, so a stack")
	line("that no call begins at belongs to none, or to one that did not return.")
	line("")
	table("call", "selector or symbol", "family", "group", "effect", "object", "arg", "more")
	for i, row := range Table {
		if i > 0 {
			mark := ""
			if CallHasStack(Call(i)) {
				mark = "* "
			}
			line("| %d | %s`%s` | %s | %s | %s | %s | %s | %s |", i, mark, row.Selector, row.Family, row.Group, row.Effect,
				cell(row.Object.Meaning()), cell(row.Arg.Meaning()),
				cell(row.moreMeaning()))
		}
	}
	line("")
	line("Sampling says what became of the measurement of an encoder's time:")
	line("")
	for i, s := range samplings {
		line("- %d: %s", i, s.text)
	}
	line("")
	line("Descriptor says what a thread waited for at a file descriptor:")
	line("")
	for i, d := range descriptors {
		line("- %d: %s", i, d.text)
	}
	line("")
	line("## Facts")
	line("")
	line("A fact is said once: size u32 (of the whole fact), kind u16, aux u16, key u64, length of the text u32, zero " +
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
	line("%d bytes: a region header of %d bytes, then %d rings, each a ring header of %d bytes, %d records and %d "+
		"bytes of", RegionSize, PageSize, RingCount, PageSize,
		RecordsPerRing, FactsPerRing)
	line("facts. Heads and tails only grow; the slot of a position is the position modulo the capacity. A record is " +
		"there once head is")
	line("beyond it; its slot may be written again once tail is beyond it. A ring is used by another thread only when " +
		"its thread has")
	line("left and all of it is consumed; the next thread's first record is its thread start.")
	line("")
	line("The collector reads the rings where they lie. When one fills in a hurry, the drainer inside the process " +
		"sends an empty Records frame, upon")
	line("which the collector looks at once; it sends what nobody has read for a while, and of a collector that reads " +
		"no rings what fills them. Who drains holds the claim, so exactly one side does at a time. The drainer moves the " +
		"tail only after a frame is")
	line("written whole, and the collector only after it has copied the records, so what a dead process leaves between")
	line("the last position that came by the socket and head is in the memory, whole: joined by positions, each record " +
		"is there once.")
	line("The claim of a process that is gone is void.")
	line("")
	line("Region header:")
	line("")
	words(regionWords)
	line("Ring header:")
	line("")
	words(ringWords)
	return strings.TrimSuffix(b.String(), "\n")
}

// cell is a text in a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
