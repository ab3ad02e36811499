package darwin

import (
	"bytes"
	"testing"
)

// synthesized is a library for arm64 with one of everything that dyld's rules are about: four segments of 16 KiB, one
// initializer, one pointer to a function of libSystem, one function with a record in __eh_frame and a personality.
func synthesized(chained bool) []byte {
	image := make([]byte, 0xc200)
	put := func(at int, words ...uint32) {
		for i, w := range words {
			le.PutUint32(image[at+4*i:], w)
		}
	}
	var commands []byte
	count := uint32(0)
	add := func(kind uint32, body []byte) {
		for len(body)%8 != 0 {
			body = append(body, 0)
		}
		commands = le.AppendUint32(le.AppendUint32(commands, kind), uint32(8+len(body)))
		commands = append(commands, body...)
		count++
	}
	words := func(values ...uint32) (b []byte) {
		for _, v := range values {
			b = le.AppendUint32(b, v)
		}
		return b
	}
	segment := func(name string, address, size uint64, fileSize uint64, protection, flags uint32, sections ...section) {
		b := append([]byte(name), make([]byte, 16-len(name))...)
		for _, v := range []uint64{address, size, address, fileSize} {
			b = le.AppendUint64(b, v)
		}
		b = append(b, words(protection, protection, uint32(len(sections)), flags)...)
		for _, s := range sections {
			b = append(b, append([]byte(s.name), make([]byte, 16-len(s.name))...)...)
			b = append(b, append([]byte(name), make([]byte, 16-len(name))...)...)
			b = le.AppendUint64(le.AppendUint64(b, s.address), s.size)
			b = append(b, words(uint32(s.address), 3, 0, 0, s.flags, 0, 0, 0)...)
		}
		add(commandSegment64, b)
	}
	segment("__TEXT", 0, 0x4000, 0x4000, 5, 0,
		section{name: "__text", address: 0x3000, size: 0x100, flags: 0x80000400},
		section{name: "__unwind_info", address: 0x3200, size: 0x60}, section{name: "__eh_frame", address: 0x3400, size: 0x40})
	segment("__DATA_CONST", 0x4000, 0x4000, 0x4000, 3, readOnlyData,
		section{name: "__got", address: 0x4000, size: 8, flags: 6}, section{name: "__mod_init_func", address: 0x4008,
			size: 8, flags: sectionInitializers})
	segment("__DATA", 0x8000, 0x4000, 0x4000, 3, 0, section{name: "__data", address: 0x8000, size: 0x100})
	segment("__LINKEDIT", 0xc000, 0x4000, 0x200, 1, 0)
	add(commandID, append(words(24, 0, 0, 0), "@rpath/l.dylib\x00"...))
	add(commandUUID, make([]byte, 16))
	add(commandBuildVersion, words(1, 13<<16, 13<<16, 0))
	add(commandDylib, append(words(24, 0, 0, 0), "/usr/lib/libSystem.B.dylib\x00"...))
	add(commandRPath, append(words(12), "@loader_path\x00"...))
	add(commandSymtab, words(0xc100, 1, 0xc110, 8))
	add(commandDysymtab, words(0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
	if chained {
		add(commandChainedFixups, words(0xc000, 0x80))
	} else {
		add(commandDyldInfoOnly, words(0xc000, 8, 0xc008, 0x18, 0, 0, 0, 0, 0, 0))
	}
	put(0, magic64, 0x100000c, 0, fileTypeDylib, count, uint32(len(commands)))
	copy(image[headerSize:], commands)
	put(0x4008, 0x3000) // the initializer
	// A common record with a personality through the pointer at 0x4000, and a function's.
	put(0x3400, 0x14, 0)
	copy(image[0x3408:], "\x01zPR\x00\x01\x78\x1e\x06\x9b")
	put(0x3412, 0x4000-0x3412)
	image[0x3416] = encodingRelative
	put(0x3418, 0x1c, 0x1c)
	put(0x3420, uint32(1<<32+0x3000-0x3420), 0xffffffff, 0x100, 0)
	// Version, common encodings, personalities, index; one page, one entry: __eh_frame at 0x18.
	put(0x3200, 1, 0x1c, 1, 0x20, 1, 0x24, 2, 0x03000018, 0x4000, 0x3000, 0x3c, 0, 0x3100, 0, 0)
	put(0x323c, 3, 1<<16|0xc, 0, 0)
	if chained {
		put(0xc000, 0, 0x20, 0x68, 0x70, 1, 1, 0) // starts, imports, symbols, one import, its format
		put(0xc020, 4, 0, 0x18, 0, 0)
		put(0xc038, 24, 6<<16|0x4000, 0x4000, 0, 0, 1) // one page, whose chain starts at 0
	} else {
		copy(image[0xc000:], "\x11\x21\x08\x51\x00") // pointer, segment 1 at 8, one
		copy(image[0xc008:], "\x11\x40_abort\x00\x51\x71\x00\x90\x00")
	}
	return image
}

// command returns the first load command of a kind, or the segment of a name, to be changed.
func command(image []byte, kind uint32, name string) []byte {
	for at, n := headerSize, le.Uint32(image[16:]); n > 0; n-- {
		c := image[at:][:le.Uint32(image[at+4:])]
		if le.Uint32(c) == kind && (name == "" || cString(c[8:24]) == name) {
			return c
		}
		at += len(c)
	}
	panic("no such command")
}

// rename makes a command one that no rule knows, which is as good as taking it away.
func rename(image []byte, kind uint32) { le.PutUint32(command(image, kind, ""), 0x7f) }

// TestSynthesizedIsAccepted: the unchanged image is accepted, so that the images below are refused only for their
// changes.
func TestSynthesizedIsAccepted(t *testing.T) {
	for _, chained := range []bool{false, true} {
		for _, err := range refusals(synthesized(chained), strictest) {
			t.Errorf("chained %v: %v", chained, err)
		}
	}
}

// TestDyldRefuses changes one thing for each of dyld's rules. Rules introduced with an SDK do not apply to files built
// with an older one.
func TestDyldRefuses(t *testing.T) {
	segment := func(name string, at int, value uint64) func([]byte) {
		return func(image []byte) { le.PutUint64(command(image, commandSegment64, name)[at:], value) }
	}
	flags := func(name string, at int, value uint32) func([]byte) {
		return func(image []byte) { le.PutUint32(command(image, commandSegment64, name)[at:], value) }
	}
	word := func(kind uint32, at int, value uint32) func([]byte) {
		return func(image []byte) { le.PutUint32(command(image, kind, "")[at:], value) }
	}
	there := func(at int, content string) func([]byte) { return func(image []byte) { copy(image[at:], content) } }
	const plain, chained = false, true
	cases := []struct {
		name    string
		chained bool
		since   version // the SDK the rule came with
		change  func([]byte)
		source  string
	}{
		{"magic", plain, always, there(0, "\x00"), "forEachLoadCommand"},
		{"commands beyond the end", plain, always, func(i []byte) { le.PutUint32(i[20:], 1<<30) }, "forEachLoadCommand"},
		{"one command more than there are", plain, always, func(i []byte) { le.PutUint32(i[16:], 99) }, "forEachLoadCommand"},
		{"a command of four bytes", plain, always, word(commandUUID, 4, 4), "forEachLoadCommand"},
		{"an unknown file type", plain, always, func(i []byte) { le.PutUint32(i[12:], 13) }, "validStructureLoadCommands"},
		{"a command dyld must know and does not", plain, always, word(commandUUID, 0, 0x800000ff),
			"validStructureLoadCommands"},
		{"more sections than their segment's command holds", plain, always, flags("__DATA", 64, 2),
			"validStructureLoadCommands"},
		{"a name outside of its command", plain, always, word(commandDylib, 8, 4000), "validStructureLoadCommands"},
		{"a build version with a tool it has no room for", plain, always, word(commandBuildVersion, 20, 1),
			"validStructureLoadCommands"},
		{"no platform", plain, always, func(i []byte) { rename(i, commandBuildVersion) }, "validSemanticsPlatform"},
		{"another platform", plain, always, word(commandBuildVersion, 8, 2), "validSemanticsPlatform"},
		{"no UUID", plain, fall2021, func(i []byte) { rename(i, commandUUID) }, "enforceHasUUID"},
		{"no install name", plain, always, func(i []byte) { rename(i, commandID) }, "validSemanticsInstallName"},
		{"no library", plain, spring2025, func(i []byte) { rename(i, commandDylib); there(0xc008, "\x3e")(i) },
			"enforceHasLinkedDylibs"},
		{"a library twice", plain, fall2025, func(i []byte) {
			copy(command(i, commandRPath, "")[8:], "\x18\x00\x00\x00")
			c := command(i, commandDylib, "")
			again := bytes.Clone(c)
			le.PutUint32(command(i, commandUUID, ""), 0x7f)
			le.PutUint32(again, commandWeakDylib)
			at := len(i[:headerSize]) + int(le.Uint32(i[20:]))
			copy(i[at:], again)
			le.PutUint32(i[16:], le.Uint32(i[16:])+1)
			le.PutUint32(i[20:], le.Uint32(i[20:])+uint32(len(again)))
		}, "enforceNoDuplicateDylibs"},
		{"a segment beyond the end of the file", plain, always, segment("__LINKEDIT", 48, 0x300), "validSegment"},
		{"more in the file than in memory", plain, always, segment("__DATA", 32, 0x200), "validSegment"},
		{"a permission that is none", plain, always, flags("__DATA", 60, 0xb), "validSegment"},
		{"a segment around the end of memory", plain, always, segment("__LINKEDIT", 24, ^uint64(0x3fff)+0x1000),
			"validSegment"},
		{"code for writing", plain, fall2019, flags("__TEXT", 60, 7), "enforceTextSegmentPermissions"},
		{"__LINKEDIT for writing", plain, macOS(10, 11), flags("__LINKEDIT", 60, 3), "enforceReadOnlyLinkedit"},
		{"data for execution", plain, fall2025, flags("__DATA", 60, 7), "enforceDataSegmentPermissions"},
		{"constants that stay for writing", plain, spring2025, flags("__DATA_CONST", 68, 0),
			"enforceDataConstSegmentPermissions"},
		{"a section before its segment", plain, always, segment("__DATA", 72+32, 0x7000), "validSegment"},
		{"a section beyond its segment", plain, fall2020, segment("__DATA", 72+40, 0x5000), "enforceSectionsInSegment"},
		{"code that does not begin with the file", plain, always, segment("__TEXT", 40, 0x4000), "validSemanticsSegments"},
		{"commands that do not fit into the code", plain, always, segment("__TEXT", 48, 0x20), "validSemanticsSegments"},
		{"no code", plain, always, there(headerSize+8, "__TEXS"), "validSemanticsSegments"},
		{"segments over each other in memory", plain, always, segment("__DATA_CONST", 32, 0x5000), "validSemanticsSegments"},
		{"segments over each other in the file", plain, always, segment("__DATA", 40, 0x7000), "validSemanticsSegments"},
		{"two segments of one name", plain, fall2025, func(i []byte) {
			copy(command(i, commandSegment64, "__DATA_CONST")[8:], "__DATA\x00\x00\x00\x00\x00\x00")
		}, "enforceUniqueSegmentNames"},
		{"segments out of order", plain, fall2019, func(i []byte) {
			segment("__DATA_CONST", 24, 0x20000)(i)
			segment("__DATA_CONST", 72+32, 0x20000)(i)
			segment("__DATA_CONST", 72+80+32, 0x20008)(i)
		}, "enforceSegmentOrderMatchesLoadCmds"},
		{"a segment that begins within a page", plain, always, func(i []byte) { segment("__LINKEDIT", 24, 0xe000)(i) },
			"mapImage"},
		{"an initializer that is data", plain, always, there(0x4008, "\x00\x80"), "validInitializers"},
		{"half an initializer", plain, always, segment("__DATA_CONST", 72+80+40, 4), "validInitializers"},
		{"tables of symbols that disagree", plain, always, word(commandSymtab, 12, 0), "validStructureLinkedit"},
		{"local symbols that are not first", plain, always, word(commandDysymtab, 8, 1), "validStructureLinkedit"},
		{"relocations besides other fixups", plain, fall2018,
			func(i []byte) { word(commandDysymtab, 72, 0xc180)(i); word(commandDysymtab, 76, 1)(i) }, "enforceOneFixupEncoding"},
		{"contents of __LINKEDIT over each other", plain, always, word(commandSymtab, 8, 0xc108), "validStructureLinkedit"},
		{"contents before __LINKEDIT", plain, always, word(commandSymtab, 8, 0xb000), "validStructureLinkedit"},
		{"contents beyond __LINKEDIT", plain, always, word(commandSymtab, 20, 0x1000), "validStructureLinkedit"},
		{"a table of symbols at an odd address", plain, fall2019, word(commandSymtab, 8, 0xc0f4),
			"enforceLinkeditContentAlignment"},
		{"a rebase in code", plain, always, there(0xc001, "\x20"), "RebaseOpcodes"},
		{"a rebase in a segment that is not there", plain, always, there(0xc001, "\x2e"), "RebaseOpcodes"},
		{"a rebase beyond its segment", plain, always, there(0xc001, "\x21\xff\xff\x7f\x51"), "RebaseOpcodes"},
		{"a rebase of no type", plain, always, there(0xc000, "\x10"), "RebaseOpcodes"},
		{"a rebase by an unknown operation", plain, always, there(0xc003, "\xf0"), "RebaseOpcodes"},
		{"a bind in code", plain, always, there(0xc012, "\x70"), "BindOpcodes"},
		{"a bind to a library that is not linked", plain, always, there(0xc008, "\x12"), "BindOpcodes"},
		{"a bind of no type", plain, always, there(0xc011, "\x50"), "BindOpcodes"},
		{"chains of an unknown version", chained, always, there(0xc000, "\x01"), "ChainedFixups"},
		{"chains with starts beyond the end", chained, always, there(0xc004, "\x00\x10"), "ChainedFixups"},
		{"chains with imports over the symbols", chained, always, there(0xc010, "\x05"), "ChainedFixups"},
		{"chains for three segments", chained, always, there(0xc020, "\x03"), "ChainedFixups"},
		{"chains for pages of two KiB", chained, always, there(0xc03c, "\x00\x08"), "ChainedFixups"},
		{"chains of arm64e's pointers", chained, always, there(0xc03e, "\x01"), "ChainedFixups"},
		{"a chain that begins beyond its page", chained, always, there(0xc04e, "\x01\x40"), "ChainedFixups"},
		{"chains in code", chained, always, func(i []byte) { copy(i[0xc024:], "\x18\x00\x00\x00\x00\x00\x00\x00") },
			"ChainedFixups"},
		{"a table for unwinding of another version", plain, always, there(0x3200, "\x02"), "CompactUnwind"},
		{"a table for unwinding that is cut off", plain, always, there(0x3218, "\x09"), "CompactUnwind"},
		{"a personality in code", plain, always, there(0x3220, "\x00\x30"), "CompactUnwind"},
		{"an entry for unwinding at no function's record", plain, always, there(0x321c, "\x1c"), "libunwind"},
		{"a record of more bytes than there are", plain, always, there(0x3418, "\xff"), "libunwind"},
		{"a record that points to no common one", plain, always, there(0x341c, "\x18"), "libunwind"},
		{"a record of code that is none", plain, always, there(0x3428, "\x00\x80"), "libunwind"},
		{"a personality that is no pointer", plain, always, there(0x3412, "\x04"), "libunwind"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			image := synthesized(c.chained)
			c.change(image)
			if found := refusals(image, strictest); !mentions(found, c.source) {
				t.Errorf("refused for %v, not by %s", found, c.source)
			}
			if c.since > always && mentions(refusals(image, c.since-1), c.source) {
				t.Errorf("an SDK older than the rule is held to it")
			}
		})
	}
}

func mentions(found []error, source string) bool {
	for _, err := range found {
		if bytes.Contains([]byte(err.Error()), []byte(source)) {
			return true
		}
	}
	return false
}

// TestDyldRefusesPrograms: the rules that apply to programs only.
func TestDyldRefusesPrograms(t *testing.T) {
	program := func() []byte {
		image := synthesized(false)
		le.PutUint32(image[12:], fileTypeExecute)
		c := command(image, commandID, "")
		le.PutUint32(c, 0x7f)
		return image
	}
	if found := refusals(program(), strictest); !mentions(found, "validSemanticsMain") {
		t.Errorf("a program without a start is refused for %v", found)
	}
	image := program()
	rename(image, commandUUID)
	if mentions(refusals(image, macOS(15, 0)), "enforceHasUUID") || !mentions(refusals(image, fall2025),
		"enforceHasUUID") {
		t.Error("programs have needed a UUID from macOS 26 on")
	}
}

// patched applies changes to an image: each change is an offset, a length of up to eight bytes, and the bytes. A fuzzer
// cannot usefully mutate fifty kilobytes with some hundred bytes that are not zero.
func patched(image, changes []byte) []byte {
	for len(changes) >= 3 {
		at, n := int(le.Uint16(changes)), min(1+int(changes[2]&7), len(changes)-3)
		copy(image[min(at, len(image)):], changes[3:3+n])
		changes = changes[3+n:]
	}
	return image
}

// FuzzRefusals: any file gets an answer. A file is anything, or one of ours, cut and changed.
func FuzzRefusals(f *testing.F) {
	images := [][]byte{synthesized(false), synthesized(true)}
	f.Add(byte(0), uint16(0xffff), []byte{})
	f.Add(byte(1), uint16(0xffff), []byte{0x0c, 0x34, 1, 0x40, 0xc0, 0x04, 0xc0, 7, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(byte(1), uint16(0x300), []byte{})
	f.Add(byte(2), uint16(0), images[0][:0x300])
	var scratch []byte
	f.Fuzz(func(t *testing.T, base byte, size uint16, changes []byte) {
		image := changes
		if base < 2 {
			scratch = append(scratch[:0], images[base]...)
			image = patched(scratch[:min(int(size), len(scratch))], changes)
		}
		refusals(image, 0)
		refusals(image, strictest)
	})
}
