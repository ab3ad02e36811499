package darwin

import (
	"debug/macho"
	"errors"
	"fmt"
	"maps"
)

// bind is one pointer that dyld sets to a symbol of another image.
type bind struct {
	symbol  string
	library int // 1-based; 0 and below mean this image, the program, or any
	weak    bool
}

// Opcodes of the bind instructions that LC_DYLD_INFO_ONLY points to, from
// <mach-o/loader.h>: the upper four bits name the operation, the lower are its
// immediate.
const (
	opDone              = 0x00
	opLibraryImmediate  = 0x10
	opLibraryULEB       = 0x20
	opLibrarySpecial    = 0x30
	opSymbol            = 0x40
	opType              = 0x50
	opAddend            = 0x60
	opSegment           = 0x70
	opAddAddress        = 0x80
	opBind              = 0x90
	opBindAddAddress    = 0xa0
	opBindAddImmediate  = 0xb0
	opBindRepeated      = 0xc0
	flagWeakImport      = 0x1
	commandDyldInfoOnly = 0x80000022
)

// binds executes the bind instructions of an image and returns the symbol bound to each address.
func binds(image []byte, file *macho.File) (map[uint64]bind, error) {
	infos := loads(file, commandDyldInfoOnly)
	if len(infos) != 1 {
		return nil, errors.New("the image has no LC_DYLD_INFO_ONLY")
	}
	var segments []uint64
	for _, load := range file.Loads {
		if segment, ok := load.(*macho.Segment); ok {
			segments = append(segments, segment.Addr)
		}
	}
	const eager, lazy = 16, 32 // where the command has the two lists of instructions
	found := map[uint64]bind{}
	for _, at := range []int{eager, lazy} {
		offset, size := uint64(le.Uint32(infos[0][at:])), uint64(le.Uint32(infos[0][at+4:]))
		if offset+size > uint64(len(image)) {
			return nil, errors.New("the bind instructions lie beyond the end")
		}
		bound, err := runBinds(image[offset:offset+size], segments)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, bound)
	}
	return found, nil
}

func runBinds(code []byte, segments []uint64) (map[uint64]bind, error) {
	found := map[uint64]bind{}
	var current bind
	var address uint64
	uleb := func() (value uint64) {
		for shift := 0; len(code) > 0; shift += 7 {
			b := code[0]
			code = code[1:]
			value |= uint64(b&0x7f) << shift
			if b&0x80 == 0 {
				break
			}
		}
		return value
	}
	here := func() { found[address] = current; address += 8 }
	for len(code) > 0 {
		operation, immediate := code[0]&0xf0, code[0]&0x0f
		code = code[1:]
		switch operation {
		case opDone: // ends the list; padding follows
		case opLibraryImmediate:
			current.library = int(immediate)
		case opLibraryULEB:
			current.library = int(uleb())
		case opLibrarySpecial:
			current.library = -int(-immediate & 0xf)
		case opSymbol:
			current.symbol = cString(code)
			current.weak = immediate&flagWeakImport != 0
			code = code[min(len(current.symbol)+1, len(code)):]
		case opType:
		case opAddend:
			uleb()
		case opSegment:
			if int(immediate) >= len(segments) {
				return nil, fmt.Errorf("bind into segment %d of %d", immediate, len(segments))
			}
			address = segments[immediate] + uleb()
		case opAddAddress:
			address += uleb()
		case opBind:
			here()
		case opBindAddAddress:
			here()
			address += uleb()
		case opBindAddImmediate:
			here()
			address += 8 * uint64(immediate)
		case opBindRepeated:
			count, skip := uleb(), uleb()
			for range min(count, 1<<20) {
				here()
				address += skip
			}
		default:
			return nil, fmt.Errorf("bind operation %#x", operation)
		}
	}
	return found, nil
}
