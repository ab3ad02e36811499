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
	line("How the library inside a traced process hands its records to the collector: records and facts in shared memory, one ring")
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
	line("| 30 | flags | u16 | bit 0: a More record follows; bit 1: the call returned nil, NO or an error; of waits bit 2: the thread held the lock of its language interpreter, bit 3: it did not; bits 8–15: index of the receiver's class, 0 is unknown |")
	line("")
	line("A More record (call %d) belongs to the record before it and lies in the same bytes: x0, x1, x2 (u64 each) at 0, 8 and 16,", CallMore)
	line("x3 (u32) at 24, call and flags as above. Objects are numbered from 1 in the order of their creation, for each process.")
	line("")
	line("In text, a record is a JSON object: `%s`.", AppendText(nil, Record{Begin: 100, End: 230, Object: 7, Call: MustLookup(FamilyCommandBuffer, "commit"), Flags: 2 << ClassShift}, nil))
	line("")
	line("## Calls")
	line("")
	line("“new X” is the number given to the object the call returned, 0 when it returned nil. The group says to which part of a")
	line("thread's time the call belongs.")
	line("")
	line("Of a call with a mark before its selector, `*`, the stack is recorded when stacks are asked for: a stack record (call %d),", CallStack)
	line("written when the call begins. It ends at the tick at which its call begins. Calls nest, and a record may be lost, so a stack")
	line("that no call begins at belongs to none, or to one that did not return.")
	line("")
	table("call", "selector or symbol", "family", "group", "object", "arg", "more")
	for i, row := range Table {
		if i > 0 {
			mark := ""
			if CallHasStack(Call(i)) {
				mark = "* "
			}
			line("| %d | %s`%s` | %s | %s | %s | %s | %s |", i, mark, row.Selector, row.Family, row.Group, cell(row.Object), cell(row.Arg), cell(row.More))
		}
	}
	line("")
	line("Sampling says what became of the measurement of an encoder's time:")
	line("")
	for i, text := range samplingTexts {
		line("- %d: %s", i, text)
	}
	line("")
	line("## Facts")
	line("")
	line("A fact is said once: size u32 (of the whole fact), kind u16, aux u16, key u64, length of the text u32, zero u32, the text")
	line("(UTF-8, at most %d bytes), zeros up to a multiple of 8. Readers skip kinds they do not know.", MaxFactText)
	line("")
	table("kind", "key", "aux", "text")
	line("| %d string | its StringID: 64-bit FNV-1a of the text, 1 in place of 0 | | the text |", FactString)
	line("| %d class | the index in a record's flags | the family's number | the class's name |", FactClass)
	line("| %d device | the device's object number | 1 for a software device | its name |", FactDevice)
	line("| %d thread name | the system's thread id | | its name |", FactThreadName)
	line("| %d warning | 1 when it says that a device was made where the tracer does not look | | one line for the user |", FactWarning)
	line("| %d stack | its StackID: for each 64-bit word of the text, hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 32, from aux on; 1 in place of 0 | bits 0–7: native frames, bit 8: more of them were left out, bit 9: more of Python's were | innermost first: native frames (return address u64; at most %d), then Python's (StringIDs of function and file u64 each, line u32, zero u32; at most %d) |", FactStack, MaxNativeFrames, MaxPythonFrames)
	line("| %d image | address at which a file of code begins | | bytes in memory in hexadecimal, build ID (ELF) or UUID (Mach-O) in hexadecimal or `-`, path; a blank between them |", FactImage)
	line("| %d symbol | a return address | 1 when there is no call before it: the frame and those outside of it were read by something that is no frame pointer | name of the function it is in |", FactSymbol)
	line("| %d unhooked | how many of the class's methods lack a hook, 0 for all | the family's number | the name of a class whose objects came by without hooks |", FactUnhooked)
	line("| %d canary | a call that the self-check made | how often | |", FactCanary)
	line("| %d cost | picoseconds that recording a call adds to it, measured when the process began to use Metal; 0 when that failed | | |", FactCost)
	line("| %d line | a return address | | the line of the source in decimal, a blank, the file: of the statement that was running in the frame's function, which for code inlined into it is the outermost call |", FactLine)
	line("| %d registry | the device's object number | | its registryID in decimal: that of the GPU, in all processes of the machine |", FactRegistry)
	line("")
	line("## Frames")
	line("")
	line("A frame is a header of %d bytes (magic %#x u32, kind u16, ring u16, length u32, zero u32, position u64) and a payload", FrameHeaderSize, FrameMagic)
	line("of that length, at most %d bytes.", MaxFramePayload)
	line("")
	table("kind", "payload")
	line("| %d hello | first, once: `key=value` entries, each ended by a NUL: version, pid, ppid, program, arg (each argument, in order), host, os, arch, started (Unix time, ns) |", FrameHello)
	line("| %d rings | empty; the descriptor of the shared memory comes with its first byte. At most once |", FrameRings)
	line("| %d records | whole records of one ring; position is the ring position of the first |", FrameRecords)
	line("| %d facts | whole facts of one ring; position is the byte position of the first. Before the rings frame: facts of no ring, without a position |", FrameFacts)
	line("| %d clock | clock samples: ticks u64 and nanoseconds i64 of the clock of GPU times (CLOCK_UPTIME_RAW on macOS, CLOCK_MONOTONIC on Linux) |", FrameClock)
	line("| %d thread times | processor times of threads, %d bytes each: the system's thread id u64, %d for the whole process; when, in nanoseconds of the clock of GPU times, i64; nanoseconds on a processor since the thread began i64; nanoseconds that it could run and had no processor i64, %d where the system does not count them |", FrameThreadTimes, ThreadTimeSize, WholeProcess, WaitNotKnown)
	line("| %d process facts | whole facts that belong to no ring, without a position |", FrameProcessFacts)
	line("")
	line("## Shared memory")
	line("")
	line("%d bytes: a region header of %d bytes, then %d rings, each a ring header of %d bytes, %d records and %d bytes of", RegionSize, PageSize, RingCount, PageSize, RecordsPerRing, FactsPerRing)
	line("facts. Heads and tails only grow; the slot of a position is the position modulo the capacity. A record is there once head is")
	line("beyond it; its slot may be written again once tail is beyond it. A ring is used by another thread only when its thread has")
	line("left and all of it is consumed; the next thread's first record is its thread start.")
	line("")
	line("Who drains holds the claim, so exactly one side drains at a time: the drainer inside the process, or the collector when the")
	line("ring fills or there is no drainer. The tail moves only after a frame is written whole, so what a dead process leaves between")
	line("the last position that came by the socket and head is in the memory, whole: joined by positions, each record is there once.")
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
