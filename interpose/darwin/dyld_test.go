package darwin

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The rules by which dyld refuses to load a file, from its sources (github.com/apple-oss-distributions/dyld,
// dyld-1378). No Mac is needed to find out that another linker, or a byte changed by us, has made a file that every Mac
// refuses.

// version names the rules of an SDK.
type version = Version

func macOS(major, minor int) version { return version(major<<16 | minor<<8) }

// Some rules apply only from a certain SDK in the image's build version on: Policy.cpp, Platform.cpp epochForVersion.
// macOS 11 is the fall of 2020, 15.4 the spring of 2025, 26 the fall of 2025. Strictest is no real SDK; all rules apply
// to it.
const (
	always         = version(0)
	fall2018       = version(10<<16 | 14<<8)
	fall2019       = version(10<<16 | 15<<8)
	fall2020       = version(11 << 16)
	fall2021       = version(12 << 16)
	spring2025     = version(15<<16 | 4<<8)
	fall2025       = version(26 << 16)
	strictest      = version(math.MaxUint32)
	fileTypeDylib  = 6
	flagInCache    = 0x80000000
	flagPIE        = 0x200000
	readOnlyData   = 0x10 // SG_READ_ONLY
	requiredByDyld = 0x80000000
	canRead        = 1
	canWrite       = 2
	canExecute     = 4
)

// rule is one reason for dyld to refuse a file. For programs many rules came later than for libraries.
type rule struct {
	source         string // file and function of dyld
	since, program version
	broken         func(*machO) error
}

var rules = []rule{
	{"UnsafeHeader.cpp validStructureLoadCommands", always, always, (*machO).commandsWrong},
	{"UnsafeHeader.cpp validSemanticsPlatform", always, always, (*machO).platformWrong},
	{"UnsafeHeader.cpp validSemanticsUUID", always, always, func(m *machO) error { return most(m, commandUUID, 1) }},
	{"UnsafeHeader.cpp validSemanticsUUID, Policy.cpp enforceHasUUID", fall2021, fall2025,
		func(m *machO) error { return least(m, commandUUID) }},
	{"UnsafeHeader.cpp validSemanticsInstallName", always, always, (*machO).installNameWrong},
	{"UnsafeHeader.cpp validSemanticsLinkedDylibs, Policy.cpp enforceNoDuplicateDylibs", fall2025, fall2025,
		func(m *machO) error { return twice("library", m.libraries()) }},
	{"UnsafeHeader.cpp validSemanticsLinkedDylibs, Policy.cpp enforceHasLinkedDylibs", spring2025, spring2025,
		(*machO).linksNothing},
	{"UnsafeHeader.cpp validSemanticsRPath, Policy.cpp enforceNoDuplicateRPaths", fall2025, fall2025,
		func(m *machO) error { return twice("rpath", m.names(commandRPath)) }},
	{"UnsafeHeader.cpp validSegment", always, always, (*machO).segmentsWrong},
	{"UnsafeHeader.cpp validSegment, Policy.cpp enforceTextSegmentPermissions", fall2019, fall2019,
		permission("__TEXT", canRead|canExecute)},
	{"UnsafeHeader.cpp validSegment, Policy.cpp enforceReadOnlyLinkedit", macOS(10, 11), fall2025,
		permission("__LINKEDIT", canRead)},
	{"UnsafeHeader.cpp validSegment, Policy.cpp enforceDataSegmentPermissions", fall2025, fall2025,
		permission("__DATA", canRead|canWrite)},
	{"UnsafeHeader.cpp validSegment, Policy.cpp enforceDataSegmentPermissions", fall2025, fall2025,
		permission("__DATA_CONST", canRead|canWrite)},
	{"UnsafeHeader.cpp validSegment, Policy.cpp enforceDataConstSegmentPermissions", spring2025, spring2025,
		(*machO).constantsNotReadOnly},
	{"UnsafeHeader.cpp validSegment", always, always, (*machO).sectionsBefore},
	{"UnsafeHeader.cpp validSegment, Policy.cpp enforceSectionsInSegment", fall2020, fall2020, (*machO).sectionsBeyond},
	{"UnsafeHeader.cpp validSemanticsSegments", always, always, (*machO).textWrong},
	{"UnsafeHeader.cpp validSemanticsSegments", always, always, (*machO).segmentsOverlap},
	{"UnsafeHeader.cpp validSemanticsSegments, Policy.cpp enforceUniqueSegmentNames", fall2025, fall2025,
		(*machO).segmentNames},
	{"UnsafeHeader.cpp validSemanticsSegments, Policy.cpp enforceSegmentOrderMatchesLoadCmds", fall2019, fall2025,
		(*machO).segmentOrder},
	{"Loader.cpp mapImage: what mmap takes", always, always, (*machO).segmentsOffPage},
	{"UnsafeHeader.cpp validSemanticsMain", always, always, (*machO).startWrong},
	{"Image.cpp validInitializers", always, always, (*machO).initializersWrong},
	{"Image.cpp validStructureLinkedit", always, always, (*machO).symbolCounts},
	{"Image.cpp validStructureLinkedit, Policy.cpp enforceOneFixupEncoding", fall2018, fall2018,
		(*machO).twoFixupEncodings},
	{"Image.cpp validStructureLinkedit", always, always, (*machO).linkeditOverlaps},
	{"Image.cpp validStructureLinkedit, Policy.cpp enforceLinkeditContentAlignment, enforceCodeSignatureAligned",
		fall2019, fall2019, (*machO).linkeditMisaligned},
	{"RebaseOpcodes.cpp valid, Policy.cpp enforceFixupsInWritableSegments", always, always, (*machO).rebasesWrong},
	{"BindOpcodes.cpp valid, Policy.cpp enforceFixupsInWritableSegments", always, always, (*machO).bindsWrong},
	{"ChainedFixups.cpp validLinkedit", always, always, (*machO).chainsWrong},
	{"CompactUnwind.cpp valid", always, always, (*machO).unwindTableWrong},
	{"libunwind, CFI_Parser decodeFDE: what an exception or a backtrace reads", always, always, (*machO).framesWrong},
}

// refusals returns why dyld would refuse an image that was built with an SDK: its own, where that is 0.
func refusals(data []byte, sdk version) []error {
	m, err := readMachO(data)
	if err != nil {
		return []error{fmt.Errorf("UnsafeHeader.cpp forEachLoadCommand: %w", err)}
	}
	if sdk == 0 {
		sdk = m.sdk
	}
	var found []error
	for _, r := range rules {
		since := r.since
		if m.fileType == fileTypeExecute {
			since = r.program
		}
		if sdk < since {
			continue
		}
		if err := r.broken(m); err != nil {
			found = append(found, fmt.Errorf("%s: %w", r.source, err))
		}
	}
	return found
}

// sizes of load commands that have but one (validStructureLoadCommands).
var sizes = map[uint32]int{
	commandSymtab: 24, commandDysymtab: 80, commandUUID: 24, commandMain: 24, commandDyldInfo: 48, commandDyldInfoOnly: 48,
	commandSplitInfo: 16, commandFunctionStarts: 16, commandExportsTrie: 16, commandChainedFixups: 16,
	commandVersionMin: 16,
}

// required are the commands dyld must know, by number: it refuses others.
var required = []uint32{commandMain, commandDyldInfoOnly, commandExportsTrie, commandChainedFixups, commandRPath,
	commandWeakDylib, commandReexport, commandUpward}

func (m *machO) commandsWrong() error {
	if m.fileType == 0 || m.fileType > 12 {
		return fmt.Errorf("file type %d", m.fileType)
	}
	for i, c := range m.commands {
		kind := le.Uint32(c)
		if want := sizes[kind]; want != 0 && len(c) != want {
			return fmt.Errorf("command %d (%#x) has %d bytes, not %d", i, kind, len(c), want)
		}
		if kind&requiredByDyld != 0 && !slices.Contains(required, kind) {
			return fmt.Errorf("command %d (%#x) is required and unknown", i, kind)
		}
		switch kind {
		case commandBuildVersion:
			if len(c) < 24 || uint64(len(c)) != 24+8*uint64(le.Uint32(c[20:])) {
				return fmt.Errorf("the build version has %d bytes", len(c))
			}
		case commandSegment64:
			if len(c) < segmentFixed || uint64(len(c)) != segmentFixed+80*uint64(le.Uint32(c[64:])) {
				return fmt.Errorf("segment command %d does not have the size of its sections", i)
			}
		case commandID, commandDylib, commandWeakDylib, commandReexport, commandUpward, commandRPath:
			if text(c, le.Uint32(c[8:])) == "" {
				return fmt.Errorf("the name in command %d (%#x) does not lie in it", i, kind)
			}
		}
	}
	return nil
}

func (m *machO) platformWrong() error {
	found := m.all(commandBuildVersion)
	if len(found) != 1 {
		return fmt.Errorf("%d platforms", len(found))
	}
	if platform := le.Uint32(found[0][8:]); platform != 1 {
		return fmt.Errorf("platform %d, not macOS", platform)
	}
	return nil
}

func most(m *machO, kind uint32, n int) error {
	if count := len(m.all(kind)); count > n {
		return fmt.Errorf("%d of command %#x", count, kind)
	}
	return nil
}

func least(m *machO, kind uint32) error {
	if len(m.all(kind)) == 0 {
		return fmt.Errorf("no command %#x", kind)
	}
	return nil
}

func (m *machO) installNameWrong() error {
	want := 0
	if m.fileType == fileTypeDylib {
		want = 1
	}
	if count := len(m.all(commandID)); count != want {
		return fmt.Errorf("%d install names, not %d", count, want)
	}
	return nil
}

func twice(what string, names []string) error {
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i-1] == names[i] {
			return fmt.Errorf("%s %s is named twice", what, names[i])
		}
	}
	return nil
}

func (m *machO) linksNothing() error {
	if len(m.libraries()) == 0 {
		return errors.New("it links no library")
	}
	return nil
}

// startWrong: how a program begins.
func (m *machO) startWrong() error {
	if m.fileType != fileTypeExecute {
		return nil
	}
	if m.flags&flagInCache != 0 {
		return errors.New("a program claims to be in the shared cache")
	}
	if starts, threads := len(m.all(commandMain)), len(m.all(commandThread)); starts+threads != 1 {
		return fmt.Errorf("%d LC_MAIN and %d LC_UNIXTHREAD", starts, threads)
	}
	return nil
}

// initializersWrong: dyld refuses initializers that are not code, before it runs them.
func (m *machO) initializersWrong() error {
	executable := func(address uint64) bool {
		return slices.ContainsFunc(m.segments, func(s segment) bool {
			return s.protection&canExecute != 0 && s.address <= address && address < s.address+s.size
		})
	}
	base := m.base()
	for _, s := range m.sections() {
		word := map[uint32]uint64{sectionInitializers: 8, sectionInitializerOffsets: 4}[s.flags&0xff]
		if word == 0 {
			continue
		}
		if s.size%word != 0 || s.address%word != 0 {
			return fmt.Errorf("section %s of %d bytes at %#x is not made of words", s.name, s.size, s.address)
		}
		content, err := m.content(s)
		if err != nil {
			return err
		}
		for ; uint64(len(content)) >= word; content = content[word:] {
			// The lower 32 bits are the offset, in whatever way they are rebased.
			offset := uint64(le.Uint32(content)) - base&0xffffffff
			if !executable(base + offset&0xffffffff) {
				return fmt.Errorf("initializer %#x is not in an executable segment", offset&0xffffffff)
			}
		}
	}
	return nil
}
