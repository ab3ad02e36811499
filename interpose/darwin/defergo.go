package darwin

import (
	"bytes"
	"debug/macho"
	"errors"
	"fmt"
	"strings"
)

// goStartSection is the section that holds the library's pointer go_start (top/drainer_darwin.c). At first it points
// to an empty function; DeferGo makes it point to the Go runtime's constructor.
const goStartSection = "__mt_go"

// ErrNoSlot is returned by DeferGo if the image has no section for go_start.
var ErrNoSlot = errors.New("there is no " + goStartSection + " section")

// DeferGo changes a c-shared library so that loading it does not start its Go runtime. A Go library has a constructor
// (_rt0_ARCH_darwin_lib) in __mod_init_func, which would start threads and install signal handlers in every process.
// DeferGo exchanges the pointer to that constructor with the pointer in __DATA,__mt_go, which points to an empty
// function. Then dyld calls the empty function at load, and the library calls the constructor when it needs Go.
// Without this change the library also works, but Go starts at load. The image must be signed afterwards.
//
// dyld rebases both pointers. With LC_DYLD_INFO they are plain addresses. With chained fixups only the lower 44 bits
// are the address (DYLD_CHAINED_PTR_64 and _64_OFFSET of <mach-o/fixup-chains.h>: target 36, high byte 8); the other
// bits belong to the chain and must not be exchanged.
func DeferGo(image []byte) ([]byte, error) {
	file, err := macho.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	slot := file.Section(goStartSection)
	if slot == nil {
		return nil, ErrNoSlot
	}
	start, err := goConstructor(file)
	if err != nil {
		return nil, err
	}
	if err := within(image, slot, 8); err != nil {
		return nil, err
	}
	mask := uint64(1<<64 - 1)
	if hasCommand(file, commandChainedFixups) {
		mask = 1<<44 - 1
	}
	changed := bytes.Clone(image)
	there := changed[slot.Offset:]
	nothing := le.Uint64(there) & mask
	if mask != 1<<64-1 && le.Uint64(there)>>63 != 0 {
		return nil, errors.New(
			"the pointer in section __mt_go refers to another library: initialize go_start with a function of this one")
	}
	if err := replaceConstructor(changed, file, start, nothing, mask); err != nil {
		return nil, err
	}
	le.PutUint64(there, le.Uint64(there)&^mask|start)
	return changed, nil
}

// replaceConstructor makes dyld call the function at address `new` instead of the one at `old`. Newer linkers list
// constructors in __TEXT,__init_offsets, as 32-bit offsets from the start of the image. These are also addresses,
// because a library starts at address 0.
func replaceConstructor(image []byte, file *macho.File, old, new, mask uint64) error {
	if offsets := file.Section("__init_offsets"); offsets != nil {
		if err := within(image, offsets, 4); err != nil {
			return err
		}
		for at := uint64(0); at+4 <= offsets.Size; at += 4 {
			if word := image[uint64(offsets.Offset)+at:]; uint64(le.Uint32(word)) == old {
				le.PutUint32(word, uint32(new))
				return nil
			}
		}
	}
	if pointers := file.Section("__mod_init_func"); pointers != nil {
		if err := within(image, pointers, 8); err != nil {
			return err
		}
		for at := uint64(0); at+8 <= pointers.Size; at += 8 {
			word := image[uint64(pointers.Offset)+at:]
			if v := le.Uint64(word); v&mask == old && (mask == 1<<64-1 || v>>63 == 0) {
				le.PutUint64(word, v&^mask|new)
				return nil
			}
		}
	}
	return fmt.Errorf("none of the library's constructors is Go's constructor, which is at address %#x", old)
}

// within returns an error if the section s is not inside the image or holds no word of the given size.
func within(image []byte, s *macho.Section, word uint64) error {
	if size := uint64(len(image)); s.Size < word || uint64(s.Offset) > size || s.Size > size-uint64(s.Offset) {
		return fmt.Errorf("section %s is not completely inside the file", s.Name)
	}
	return nil
}

const commandChainedFixups = 0x80000034

func hasCommand(file *macho.File, kind uint32) bool {
	for _, load := range file.Loads {
		if raw := load.Raw(); len(raw) >= 4 && file.ByteOrder.Uint32(raw) == kind {
			return true
		}
	}
	return false
}

// goConstructor returns the address of _rt0_ARCH_darwin_lib, Go's constructor. Its symbol is missing if the library
// was stripped.
func goConstructor(file *macho.File) (uint64, error) {
	if file.Symtab != nil {
		for _, symbol := range file.Symtab.Syms {
			if symbol.Sect != 0 && strings.HasPrefix(symbol.Name, "__rt0_") && strings.HasSuffix(symbol.Name, "_darwin_lib") {
				return symbol.Value, nil
			}
		}
	}
	return 0, errors.New("the symbol of Go's constructor (_rt0_ARCH_darwin_lib) is missing; link the library without -s")
}
