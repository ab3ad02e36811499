package darwin

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// built are the files that cross.sh makes.
var built = []string{"libmtrace.dylib", "mtrace", "mtrace-selftest", "rawmetal"}

// builtSlices returns the images of a file that cross.sh built: in the folder
// MTRACE_DARWIN names, or in bin/darwin. None where it has built nothing there.
func builtSlices(t *testing.T, name string) [][]byte {
	t.Helper()
	folder := os.Getenv("MTRACE_DARWIN")
	required := folder != ""
	if !required {
		folder = filepath.Join("..", "..", "bin", "darwin")
	}
	content, err := os.ReadFile(filepath.Join(folder, name))
	if os.IsNotExist(err) && !required {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	images, err := Split(content)
	if err != nil {
		t.Fatal(err)
	}
	return images
}

// crossBuilt is builtSlices for tests that are about nothing else.
func crossBuilt(t *testing.T, name string) [][]byte {
	t.Helper()
	images := builtSlices(t, name)
	if images == nil {
		t.Skipf("%s is not built for macOS here; ./build.sh cross builds it", name)
	}
	return images
}

// each runs a check for every slice of a cross-built file.
func each(t *testing.T, name string, check func(t *testing.T, image []byte, file *macho.File)) {
	for _, image := range crossBuilt(t, name) {
		file, err := macho.NewFile(bytes.NewReader(image))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimPrefix(file.Cpu.String(), "Cpu"), func(t *testing.T) { check(t, image, file) })
	}
}

// loads returns the bodies of all load commands of one kind.
func loads(file *macho.File, kind uint32) [][]byte {
	var found [][]byte
	for _, load := range file.Loads {
		if raw := load.Raw(); file.ByteOrder.Uint32(raw) == kind {
			found = append(found, raw)
		}
	}
	return found
}

func TestCrossProcessors(t *testing.T) {
	for _, name := range built {
		kind := macho.TypeExec
		if name == "libmtrace.dylib" {
			kind = macho.TypeDylib
		}
		var found []macho.Cpu
		each(t, name, func(t *testing.T, _ []byte, file *macho.File) {
			found = append(found, file.Cpu)
			if file.Type != kind {
				t.Errorf("%s is a %v, want %v", name, file.Type, kind)
			}
		})
		if want := []macho.Cpu{macho.CpuAmd64, macho.CpuArm64}; !slices.Equal(found, want) {
			t.Errorf("%s is for %v, want %v", name, found, want)
		}
	}
}

// TestCrossThin: the tool for one processor, as in a release's archive, equals that processor's slice of the universal
// one.
func TestCrossThin(t *testing.T) {
	for i, processor := range []string{"amd64", "arm64"} {
		universal, one := crossBuilt(t, "mtrace"), crossBuilt(t, filepath.Join(processor, "mtrace"))
		if len(one) != 1 || len(universal) != 2 || !bytes.Equal(one[0], universal[i]) {
			t.Errorf("%s/mtrace has %d images and is not the part of mtrace for that processor", processor, len(one))
		}
	}
}

// TestCrossVersions: LC_BUILD_VERSION has the platform, and the oldest system and the SDK that cross.sh pins. They were
// whatever each linker wrote: zig's claimed the SDK of an unreleased macOS, whose rules dyld then applies, and Go's a
// different oldest system than the library's.
func TestCrossVersions(t *testing.T) {
	const platformMacOS, thirteen = 1, 13 << 16
	for _, name := range built {
		each(t, name, func(t *testing.T, _ []byte, file *macho.File) {
			versions := loads(file, 0x32)
			if len(versions) != 1 {
				t.Fatalf("%d build versions", len(versions))
			}
			platform, minimum, sdk := le.Uint32(versions[0][8:]), le.Uint32(versions[0][12:]), le.Uint32(versions[0][16:])
			if platform != platformMacOS || minimum != thirteen || sdk != thirteen {
				t.Errorf("%s: platform %d, oldest system %v, SDK %v; want macOS, 13.0 and 13.0", name, platform, Version(minimum),
					Version(sdk))
			}
		})
	}
}

func TestCrossInstallName(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		ids := loads(file, 0xd)
		if len(ids) != 1 {
			t.Fatalf("%d install names", len(ids))
		}
		if name := cString(ids[0][le.Uint32(ids[0][8:]):]); name != "@rpath/libmtrace.dylib" {
			t.Errorf("install name %q", name)
		}
	})
}

// Libraries are meant: Metal, so that dyld keeps the interpose pairs for it;
// libobjc and libSystem; CoreFoundation and libresolv come with Go's runtime
// and its net package.
var (
	meant = []string{
		"/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation",
		"/System/Library/Frameworks/Metal.framework/Versions/A/Metal",
		"/usr/lib/libSystem.B.dylib", "/usr/lib/libobjc.A.dylib", "/usr/lib/libresolv.9.dylib",
	}
	needed = meant[1:4]
)

func TestCrossDependencies(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		libraries, err := file.ImportedLibraries()
		if err != nil {
			t.Fatal(err)
		}
		for _, library := range libraries {
			if !slices.Contains(meant, library) {
				t.Errorf("it needs %s", library)
			}
		}
		for _, library := range needed {
			if !slices.Contains(libraries, library) {
				t.Errorf("it does not link %s", library)
			}
		}
		// LC_LOAD_WEAK_DYLIB, LC_LAZY_LOAD_DYLIB: dyld would drop pairs
		// whose library is not there.
		if weak := append(loads(file, 0x80000018), loads(file, 0x20)...); len(weak) > 0 {
			t.Errorf("%d libraries are linked weakly", len(weak))
		}
	})
}

// mayBeMissing are functions that Apple could take away, or has not had on all
// systems. A strong one that is missing ends every program that the library is
// loaded into; of a weak one dyld drops the pair (DyldRuntimeState.cpp,
// appendInterposingTuples: tuples with a NULL are ignored).
var mayBeMissing = append([]string{"_MTLCopyAllDevices", "_MTLCopyAllDevicesWithObserver",
	"__os_signpost_emit_with_name_impl", "_os_sync_wait_on_address", "_os_sync_wait_on_address_with_timeout",
	"_os_sync_wait_on_address_with_deadline", "_os_sync_wake_by_address_any", "_os_sync_wake_by_address_all",
	"_select", "_pselect"}, variants()...)

// inputs are the functions that wait at a descriptor, for a time or for a thread, and that have a second symbol.
var inputs = []string{"read", "readv", "pread", "write", "writev", "pwrite", "recv", "recvfrom", "recvmsg", "send",
	"sendto", "sendmsg", "accept", "connect", "fsync", "fcntl", "poll", "nanosleep", "usleep", "sleep", "pthread_join"}

// selects are the suffixes of the symbols of select and pselect, with the names of our replacements.
var selects = map[string]string{"": "plain", "$NOCANCEL": "nocancel", "$DARWIN_EXTSN": "extended",
	"$DARWIN_EXTSN$NOCANCEL": "extended_nocancel", "$1050": "checked"}

// variants are the symbols with a $, which a system may lack.
func variants() (found []string) {
	for _, name := range inputs {
		found = append(found, "_"+name+"$NOCANCEL")
	}
	for suffix := range selects {
		if suffix != "" {
			found = append(found, "_select"+suffix, "_pselect"+suffix)
		}
	}
	return found
}

// blockingPairs are the pairs for waits at descriptors, for a time, a thread or a word: the original and its
// replacement.
func blockingPairs(processor macho.Cpu) map[string]string {
	pairs := map[string]string{"_fdatasync": "_waits_in_fdatasync", "_kevent": "_waits_in_kevent",
		"_kevent64": "_waits_in_kevent64", "_os_unfair_lock_lock": "_locks_unfair",
		"_os_unfair_lock_trylock": "_tries_unfair", "_os_unfair_lock_unlock": "_unlocks_unfair"}
	for _, name := range inputs {
		pairs["_"+name], pairs["_"+name+"$NOCANCEL"] = "_waits_in_"+name, "_waits_in_nocancel_"+name
	}
	for suffix, variant := range selects {
		if suffix == "$1050" && processor != macho.CpuAmd64 {
			continue
		}
		pairs["_select"+suffix], pairs["_pselect"+suffix] = "_waits_in_select_"+variant, "_waits_in_pselect_"+variant
	}
	for _, name := range []string{"__ulock_wait", "__ulock_wait2", "os_sync_wait_on_address",
		"os_sync_wait_on_address_with_timeout", "os_sync_wait_on_address_with_deadline"} {
		pairs["_"+name] = "_waits_in_" + name
	}
	for _, name := range []string{"__ulock_wake", "os_sync_wake_by_address_any", "os_sync_wake_by_address_all"} {
		pairs["_"+name] = "_wakes_in_" + name
	}
	return pairs
}

// TestCrossInterposes reads the pairs dyld will apply: each replaces a function
// of Metal or of the system, bound by name and library, by one of ours.
func TestCrossInterposes(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, image []byte, file *macho.File) {
		section := file.Section("__interpose")
		if section == nil || section.Seg != "__DATA" {
			t.Fatal("there is no __DATA,__interpose section")
		}
		if section.Size == 0 || section.Size%16 != 0 {
			t.Fatalf("__interpose has %d bytes", section.Size)
		}
		pairs, err := section.Data()
		if err != nil {
			t.Fatal(err)
		}
		bound, err := binds(image, file)
		if err != nil {
			t.Fatal(err)
		}
		libraries, _ := file.ImportedLibraries()
		text := file.Section("__text")
		replaced, replacement := map[string]bool{}, map[string]string{}
		for at := uint64(0); at < section.Size; at += 16 {
			ours := binary.LittleEndian.Uint64(pairs[at:])
			if ours < text.Addr || ours >= text.Addr+text.Size {
				t.Errorf("pair %d: the replacement %#x is not in __text", at/16, ours)
			}
			b, ok := bound[section.Addr+at+8]
			if !ok {
				t.Errorf("pair %d replaces nothing", at/16)
				continue
			}
			if b.weak != slices.Contains(mayBeMissing, b.symbol) {
				t.Errorf("%s is bound weakly: %v", b.symbol, b.weak)
			}
			if b.library < 1 || b.library > len(libraries) {
				t.Errorf("%s is bound without naming its library (%d)", b.symbol, b.library)
				continue
			}
			library := libraries[b.library-1]
			if isMetal := strings.HasPrefix(b.symbol, "_MTL"); isMetal != (library == meant[1]) || !isMetal &&
				library != meant[2] {
				t.Errorf("%s is bound to %s", b.symbol, library)
			}
			if replaced[b.symbol] {
				t.Errorf("%s is replaced twice", b.symbol)
			}
			replaced[b.symbol], replacement[b.symbol] = true, functionAt(file, ours)
		}
		for _, symbol := range []string{"_MTLCreateSystemDefaultDevice", "_MTLCopyAllDevices",
			"_MTLCopyAllDevicesWithObserver"} {
			if !replaced[symbol] {
				t.Errorf("%s is not replaced", symbol)
			}
		}
		for original, want := range blockingPairs(file.Cpu) {
			if got := replacement[original]; got != want {
				t.Errorf("%s is replaced by %q, want %q", original, got, want)
			}
		}
		t.Logf("%d replaced: %v", len(replaced), replacement)
	})
}

func TestCrossExports(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		for _, name := range []string{"_mtrace_mark", "_mtrace_scope_begin", "_mtrace_scope_end"} {
			if !slices.ContainsFunc(file.Symtab.Syms, func(s macho.Symbol) bool {
				return s.Name == name && s.Sect != 0 && s.Type&1 != 0 // N_EXT
			}) {
				t.Errorf("%s is not exported", name)
			}
		}
	})
}

// TestCrossConstructors: dyld runs the functions in __mod_init_func; without them the library would load and do
// nothing.
func TestCrossConstructors(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		section := file.Section("__mod_init_func")
		if section == nil || section.Size < 8 {
			t.Fatal("there is no constructor")
		}
		pointers, err := section.Data()
		if err != nil {
			t.Fatal(err)
		}
		text := file.Section("__text")
		for ; len(pointers) >= 8; pointers = pointers[8:] {
			if at := le.Uint64(pointers); at < text.Addr || at >= text.Addr+text.Size {
				t.Errorf("a constructor at %#x is not in __text", at)
			}
		}
	})
}

// TestCrossThreadLocals: dyld allocates a C thread-local at its first touch, in
// the traced program's heap, so the library has none. If one must come, its
// descriptors have to be aligned, which zig's linker does not see to.
func TestCrossThreadLocals(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		if section := file.Section("__thread_vars"); section != nil {
			t.Errorf("%d bytes of thread-local descriptors at %#x", section.Size, section.Addr)
		}
	})
}

// functionAt is the last symbol before an address.
func functionAt(file *macho.File, address uint64) string {
	var last macho.Symbol
	for _, s := range file.Symtab.Syms {
		if s.Sect != 0 && s.Value <= address && s.Value >= last.Value {
			last = s
		}
	}
	return last.Name
}

// TestCrossReadsNoCounter: the processor's counter need not have the scale of
// mach_absolute_time, on which Metal's times are (interpose/cases.md). So no code of
// the library reads it, nor any that we link: mrs of CNTPCT_EL0, CNTVCT_EL0 and
// their self-synchronized forms. Go's procyield counts a pause by it, which is
// no time that is reported.
func TestCrossReadsNoCounter(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		if file.Cpu != macho.CpuArm64 {
			return
		}
		code, err := file.Section("__text").Data()
		if err != nil {
			t.Fatal(err)
		}
		read := map[uint32]string{0xd53be020: "CNTPCT", 0xd53be040: "CNTVCT", 0xd53be0a0: "CNTPCTSS", 0xd53be0c0: "CNTVCTSS"}
		for at := 0; at+4 <= len(code); at += 4 {
			address := file.Section("__text").Addr + uint64(at)
			if name := read[le.Uint32(code[at:])&^31]; name != "" && !strings.Contains(functionAt(file, address),
				"runtime.procyield") {
				t.Errorf("%s is read at %#x, in %s", name, address, functionAt(file, address))
			}
		}
	})
}

func TestCrossSignatures(t *testing.T) {
	for _, name := range built {
		each(t, name, func(t *testing.T, image []byte, _ *macho.File) {
			if err := Verify(image); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestCrossForgetsItsMaker: the released files contain no path of the machine that built them.
func TestCrossForgetsItsMaker(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range built {
		each(t, name, func(t *testing.T, image []byte, _ *macho.File) {
			if at := bytes.Index(image, []byte(root+"/")); at >= 0 {
				t.Errorf("%s contains %q", name, image[at:min(at+120, len(image))])
			}
		})
	}
}
