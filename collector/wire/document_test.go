package wire

import (
	"fmt"
	"slices"
	"strings"
)

// Document returns the text of docs/wire.md, which is made from the tables of this package. A test compares it with
// the file, and `go test ./collector/wire -update` writes the file.
func Document() string {
	p := &page{}
	p.line("# The wire format, version %d", Version)
	p.line("")
	p.line("Made from the tables of `collector/wire` by `go test ./collector/wire -update`. Do not edit.")
	p.line("")
	p.line(
		"The library inside a traced process passes records and facts to the collector in shared memory, with one ring")
	p.line("for each thread. Frames over a unix socket carry copies of both. All integers are little-endian.")
	p.line("")
	p.records()
	p.calls()
	p.facts()
	p.frames()
	p.memory()
	return strings.TrimSuffix(p.text.String(), "\n")
}

// A page collects the text of docs/wire.md. Each section has a method.
type page struct{ text strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// table writes the head of a Markdown table.
func (p *page) table(columns ...string) {
	p.line("| %s |", strings.Join(columns, " | "))
	p.line("|%s", strings.Repeat("---|", len(columns)))
}

// words writes a Markdown table of the fields of a header in the shared memory.
func (p *page) words(words []word) {
	p.table("offset", "field", "layout", "meaning")
	for _, w := range words {
		p.line("| %d | %s | %s | %s |", w.offset, w.name, w.layout, w.meaning)
	}
	p.line("")
}

func (p *page) records() {
	p.line("## Records")
	p.line("")
	p.line("A record is one call, %d bytes, written once, when the call ends.", RecordSize)
	p.line("")
	p.table("offset", "field", "layout", "meaning")
	p.line("| 0 | begin | u64 | ticks of the process's clock when the call began |")
	p.line("| 8 | end | u64 | ticks when the call returned |")
	p.line("| 16 | arg | u64 | depends on the call: see its row below |")
	p.line("| 24 | object | u32 | number of the object that received the call, see the call's row; 0 is not known |")
	p.line("| 28 | call | u16 | row of the table below |")
	p.line("| 30 | flags | u16 | bit 0: a More record follows; bit 1: the call returned nil, NO or an error; " +
		"of waits bit 2: the thread held the lock of its language interpreter, bit 3: it did not; " +
		"bits 8–15: index of the receiver's class, 0 is unknown |")
	p.line("")
	p.line("A More record (call %d) belongs to the record before it and lies in the same bytes: "+
		"x0, x1, x2 (u64 each) at 0, 8 and 16,", CallMore)
	p.line("x3 (u32) at 24, call and flags as above. " +
		"Objects are numbered from 1 in the order of their creation, for each process.")
	p.line("")
	p.line("In text, a record is a JSON object: `%s`.",
		AppendText(nil, Record{Begin: 100, End: 230, Object: 7, Call: MustLookup(FamilyCommandBuffer, "commit"),
			Flags: 2 << ClassShift}, nil))
	p.line("")
}

func (p *page) calls() {
	p.line("## Calls")
	p.line("")
	p.line("“new X” is the number given to the object that the call returned, 0 when the call returned nil. " +
		"The group is the part of")
	p.line("a thread's time that the call counts towards. " +
		"The effect is what the call does, as far as the analysis uses it. Begin and end")
	p.line("of a completed record are the times at which the tracer's completion handler ran.")
	p.line("")
	p.line("A `*` before the selector marks calls whose stack is recorded when stacks are requested: "+
		"a stack record (call %d), written", CallStack)
	p.line("when the call begins. " +
		"The stack record ends at the tick at which its call begins. Calls nest and records can be lost: a stack")
	p.line("whose end is no call's begin belongs to a call that did not return or was lost.")
	p.line("")
	p.line("“Values N” stands for a list of values that several calls share; the lists follow the table.")
	p.line("")
	var shared sharedValues
	p.table("call", "selector or symbol", "family", "group", "effect", "object", "arg", "more")
	for i, row := range Table {
		if i > 0 {
			mark := ""
			if CallHasStack(Call(i)) {
				mark = "* "
			}
			p.line("| %d | %s`%s` | %s | %s | %s | %s | %s | %s |", i, mark, row.Selector, row.Family, row.Group,
				row.Effect, cell(shared.cell(row.Object.Meaning())), cell(shared.cell(row.Arg.Meaning())),
				cell(shared.cell(row.moreMeanings()...)))
		}
	}
	for i, values := range shared.lists {
		p.line("")
		p.line("Values %d:", i+1)
		p.line("")
		for _, value := range values {
			p.line("- %s", value)
		}
	}
	p.line("")
	p.line("Sampling is the outcome of measuring an encoder's time on the GPU:")
	p.line("")
	for i, s := range samplings {
		p.line("- %d: %s", i, s.text)
	}
	p.line("")
	p.line("Descriptor is the kind of file that a thread waited for at a file descriptor:")
	p.line("")
	for i, d := range descriptors {
		p.line("- %d: %s", i, d.text)
	}
	p.line("")
}

func (p *page) facts() {
	p.line("## Facts")
	p.line("")
	p.line("A process sends each fact once: " +
		"size u32 (of the whole fact), kind u16, aux u16, key u64, length of the text u32, zero u32, the text")
	p.line("(UTF-8, at most %d bytes), zeros up to a multiple of 8. Readers skip kinds they do not know.", MaxFactText)
	p.line("")
	p.table("kind", "key", "aux", "text")
	for _, f := range facts {
		p.line("| %d %s | %s | %s | %s |", f.kind, f.name, f.key, f.aux, f.text)
	}
	p.line("")
}

func (p *page) frames() {
	p.line("## Frames")
	p.line("")
	p.line("A frame is a header of %d bytes (magic %#x u32, "+
		"kind u16, ring u16, length u32, zero u32, position u64) and a payload", FrameHeaderSize, FrameMagic)
	p.line("of that length, at most %d bytes.", MaxFramePayload)
	p.line("")
	p.table("kind", "payload")
	for _, f := range frames {
		p.line("| %d %s | %s |", f.kind, f.name, f.payload)
	}
	p.line("")
}

func (p *page) memory() {
	p.line("## Shared memory")
	p.line("")
	p.line("%d bytes: a region header of %d bytes, then %d rings. "+
		"Each ring is a header of %d bytes, %d records and %d bytes of facts.",
		RegionSize, PageSize, RingCount, PageSize, RecordsPerRing, FactsPerRing)
	p.line("Heads and tails only grow. A byte of facts is at its position modulo the capacity. "+
		"Of records, each %d consecutive positions are in one chunk", ChunkRecords)
	p.line("of slots; the ring's field `chunks` says in which. " +
		"The thread reuses the chunks that were read last, so that few pages of memory are used.")
	p.line("A record is complete once head is beyond its position; its slot may be overwritten once tail is beyond it. " +
		"A ring is reused by another thread only after its thread has")
	p.line("exited and all its records are consumed; the next thread's first record is its thread start.")
	p.line("")
	p.line("The collector reads the rings in place. " +
		"When a ring fills quickly, the drainer inside the process sends an empty Records frame,")
	p.line("and the collector reads the rings at once. " +
		"The drainer itself sends records that nobody has read for a while. If the collector")
	p.line("cannot map the memory, the drainer sends all records. " +
		"The side that drains holds the claim, so exactly one side drains at a time.")
	p.line("")
	p.line("The drainer moves the tail only after a whole frame is written, " +
		"the collector only after it has copied the records. If the process")
	p.line("dies, " +
		"every record between the last position received by the socket and head is therefore intact in the memory. " +
		"Joined by")
	p.line("positions, each record occurs once. The claim of a dead process is void.")
	p.line("")
	p.line("Region header:")
	p.line("")
	p.words(regionWords)
	p.line("Ring header:")
	p.line("")
	p.words(ringWords)
}

// cell escapes a text for a cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// sharedValues collects descriptions of values that are too long for a cell of the table of calls. They are written
// as lists below the table. Several rows may refer to the same list.
type sharedValues struct {
	lists [][]string
}

// longValues is the length, in bytes, from which the values of a call are moved to a list below the table of calls.
const longValues = 80

// cell returns the text of a table cell that describes these values. It is the values themselves if they are short,
// or "values N", where N is the number of their list below the table.
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

// moreMeanings describes each value of the row's More record, with its place in that record.
func (r *Row) moreMeanings() []string {
	var parts []string
	for _, f := range r.More {
		parts = append(parts, fmt.Sprintf("%s %s", placeNames[f.At], f.Meaning()))
	}
	return parts
}
