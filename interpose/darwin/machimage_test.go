package darwin

import (
	"errors"
	"fmt"
	"slices"
)

// Load commands of <mach-o/loader.h>.
const (
	commandSymtab         = 0x2
	commandThread         = 0x5
	commandDysymtab       = 0xb
	commandDylib          = 0xc
	commandID             = 0xd
	commandUUID           = 0x1b
	commandRPath          = 0x8000001c
	commandSplitInfo      = 0x1e
	commandReexport       = 0x8000001f
	commandDyldInfo       = 0x22
	commandUpward         = 0x80000023
	commandVersionMin     = 0x24
	commandFunctionStarts = 0x26
	commandMain           = 0x80000028
	commandDataInCode     = 0x29
	commandExportsTrie    = 0x80000033
	commandWeakDylib      = 0x80000018

	sectionZeroFill           = 0x1
	sectionThreadZeroFill     = 0x12
	sectionInitializers       = 0x9
	sectionInitializerOffsets = 0x16
)

// machO is an image with the fields that dyld's rules check.
type machO struct {
	data                 []byte
	cpu, fileType, flags uint32
	commands             [][]byte
	segments             []segment
	sdk                  version
}

type segment struct {
	name                string
	address, size       uint64
	offset, fileSize    uint64
	maximum, protection uint32
	flags               uint32
	sections            []section
}

type section struct {
	segment, name string
	address, size uint64
	offset, flags uint32
}

// readMachO splits the header into commands that lie within it.
func readMachO(data []byte) (*machO, error) {
	if len(data) < headerSize || le.Uint32(data) != magic64 {
		return nil, errors.New("not a 64-bit Mach-O image")
	}
	m := &machO{data: data, cpu: le.Uint32(data[4:]), fileType: le.Uint32(data[12:]), flags: le.Uint32(data[24:])}
	count, size := le.Uint32(data[16:]), uint64(le.Uint32(data[20:]))
	if size > uint64(len(data)-headerSize) {
		return nil, fmt.Errorf("%d bytes of load commands exceed the file", size)
	}
	rest := data[headerSize : headerSize+size]
	for i := range count {
		if len(rest) < 8 {
			return nil, fmt.Errorf("load command %d is off the end of the load commands", i)
		}
		length := le.Uint32(rest[4:])
		if length < 8 || uint64(length) > uint64(len(rest)) {
			return nil, fmt.Errorf("load command %d has a size of %d", i, length)
		}
		c := rest[:length]
		rest = rest[length:]
		m.commands = append(m.commands, c)
		kind := le.Uint32(c)
		if least := max(sizes[kind], leastSize[kind]); len(c) < least {
			return nil, fmt.Errorf("load command %d (%#x) has only %d bytes", i, kind, len(c))
		}
		switch kind {
		case commandSegment64:
			m.segments = append(m.segments, readSegment(c))
		case commandBuildVersion:
			m.sdk = version(le.Uint32(c[16:]))
		}
	}
	return m, nil
}

// leastSize has the smallest sizes of load commands whose size varies.
var leastSize = map[uint32]int{
	commandSegment64: segmentFixed, commandBuildVersion: 24, commandID: 24, commandDylib: 24, commandWeakDylib: 24,
	commandReexport: 24, commandUpward: 24, commandRPath: 12, commandSignature: 16, commandDataInCode: 16,
}

func readSegment(c []byte) segment {
	s := segment{
		name: cString(c[8:24]), address: le.Uint64(c[24:]), size: le.Uint64(c[32:]), offset: le.Uint64(c[40:]),
		fileSize: le.Uint64(c[48:]),
		maximum:  le.Uint32(c[56:]), protection: le.Uint32(c[60:]), flags: le.Uint32(c[68:]),
	}
	for b := c[segmentFixed:]; len(b) >= 80; b = b[80:] {
		s.sections = append(s.sections, section{
			segment: s.name, name: cString(b[:16]), address: le.Uint64(b[32:]), size: le.Uint64(b[40:]),
			offset: le.Uint32(b[48:]), flags: le.Uint32(b[64:]),
		})
	}
	return s
}

// all returns the load commands of a kind.
func (m *machO) all(kind uint32) [][]byte {
	var found [][]byte
	for _, c := range m.commands {
		if le.Uint32(c) == kind {
			found = append(found, c)
		}
	}
	return found
}

// text is the string of a command at an offset in it, "" where that is not in it.
func text(command []byte, at uint32) string {
	if at < 8 || uint64(at) >= uint64(len(command)) || !slices.Contains(command[at:], 0) {
		return ""
	}
	return cString(command[at:])
}

func (m *machO) names(kinds ...uint32) []string {
	var found []string
	for _, c := range m.commands {
		if slices.Contains(kinds, le.Uint32(c)) {
			found = append(found, text(c, le.Uint32(c[8:])))
		}
	}
	return found
}

func (m *machO) libraries() []string {
	return m.names(commandDylib, commandWeakDylib, commandReexport, commandUpward)
}

func (m *machO) segment(name string) *segment {
	for i := range m.segments {
		if m.segments[i].name == name {
			return &m.segments[i]
		}
	}
	return nil
}

func (m *machO) sections() []section {
	var all []section
	for _, s := range m.segments {
		all = append(all, s.sections...)
	}
	return all
}

func (m *machO) section(segment, name string) *section {
	for _, s := range m.sections() {
		if s.segment == segment && s.name == name {
			return &s
		}
	}
	return nil
}

// base is where the image wants to be.
func (m *machO) base() uint64 {
	if text := m.segment("__TEXT"); text != nil {
		return text.address
	}
	return 0
}

func (m *machO) content(s section) ([]byte, error) {
	if kind := s.flags & 0xff; kind == sectionZeroFill || kind == sectionThreadZeroFill {
		return nil, nil
	}
	if uint64(s.offset) > uint64(len(m.data)) || s.size > uint64(len(m.data))-uint64(s.offset) {
		return nil, fmt.Errorf("section %s lies beyond the end", s.name)
	}
	return m.data[s.offset:][:s.size], nil
}

// page is the size of a page on the image's processor.
func (m *machO) page() uint64 {
	if m.cpu == 0x100000c {
		return 0x4000
	}
	return 0x1000
}
