package inject

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// Layouts and numbers of <mach-o/fat.h>, <mach-o/loader.h> and <mach/machine.h>. Go's debug/macho is not used: it
// reads whole symbol tables, does not know 64-bit universal files and processor subtypes, and does not return the
// code signature.
const (
	fatMagic   = 0xcafebabe // big-endian, 32-bit offsets
	fatMagic64 = 0xcafebabf // big-endian, 64-bit offsets
	machMagic  = 0xfeedface
	machMagic4 = 0xfeedfacf // 64-bit

	cpuX86_64 = 0x01000007
	cpuI386   = 0x00000007
	cpuARM64  = 0x0100000c
	cpuARM    = 0x0000000c
	cpuPPC    = 0x00000012
	cpuPPC64  = 0x01000012

	subtypeMask    = 0x00ffffff // the top byte holds capability bits
	subtypeARM64E  = 2
	subtypeX86_64H = 8

	fileExecute = 0x2
	fileDylib   = 0x6

	loadSegment       = 0x1
	loadSegment64     = 0x19
	loadDylib         = 0xc
	loadWeakDylib     = 0x80000018
	loadDylinker      = 0xe
	loadCodeSignature = 0x1d
	loadVersionMin    = 0x24 // LC_VERSION_MIN_MACOSX
	loadBuildVersion  = 0x32

	platformMacOS = 1

	// maxSlices distinguishes a universal Mach-O file from a Java class file, which begins with the same magic
	// number. At the offset of the number of slices, a class file has its version, which is above 40.
	maxSlices       = 30
	maxCommandBytes = 4 << 20
)

func isMachOMagic(magic [4]byte) bool {
	switch binary.BigEndian.Uint32(magic[:]) {
	case fatMagic, fatMagic64, machMagic, machMagic4:
		return true
	}
	switch binary.LittleEndian.Uint32(magic[:]) {
	case machMagic, machMagic4:
		return true
	}
	return false
}

// machineName returns the name of a processor as lipo(1) and arch(1) print it.
func machineName(cpu, subtype uint32) string {
	subtype &= subtypeMask
	switch cpu {
	case cpuARM64:
		if subtype == subtypeARM64E {
			return "arm64e"
		}
		return "arm64"
	case cpuX86_64:
		if subtype == subtypeX86_64H {
			return "x86_64h"
		}
		return "x86_64"
	case cpuI386:
		return "i386"
	case cpuARM:
		return "arm"
	case cpuPPC:
		return "ppc"
	case cpuPPC64:
		return "ppc64"
	}
	return fmt.Sprintf("cpu-%#x", cpu)
}

// slice is one processor's part of a Mach-O file.
type slice struct {
	machine      string
	offset, size int64
}

// parseMachO describes one slice of a Mach-O file: the slice for `machine` or, if that is empty, the one that host's
// kernel will run.
func parseMachO(r io.ReaderAt, size int64, host Host, machine string) (Image, error) {
	image := Image{Format: FormatMachO}
	slices, err := machoSlices(r, size)
	if err != nil {
		return image, err
	}
	for _, s := range slices {
		image.Machines = append(image.Machines, s.machine)
	}
	chosen, ok := chooseSlice(slices, host, machine)
	if !ok {
		return image, nil
	}
	image.Machine = chosen.machine
	err = parseSlice(io.NewSectionReader(r, chosen.offset, chosen.size), chosen.size, &image)
	return image, err
}

// machoSlices returns the slices of a universal file, or the only slice of a file for one processor.
func machoSlices(r io.ReaderAt, size int64) ([]slice, error) {
	header, err := readBounded(r, size, 0, 8, 8, "header")
	if err != nil {
		return nil, err
	}
	magic := binary.BigEndian.Uint32(header)
	if magic != fatMagic && magic != fatMagic64 {
		cpu, subtype, err := machoProcessor(r, size)
		if err != nil {
			return nil, err
		}
		return []slice{{machineName(cpu, subtype), 0, size}}, nil
	}
	count := int64(binary.BigEndian.Uint32(header[4:]))
	if count == 0 || count > maxSlices {
		return nil, damaged("a universal file of %d slices", count)
	}
	entry := int64(20)
	if magic == fatMagic64 {
		entry = 32
	}
	table, err := readBounded(r, size, 8, count*entry, maxSlices*32, "table of slices")
	if err != nil {
		return nil, err
	}
	var slices []slice
	for ; len(table) > 0; table = table[entry:] {
		s := slice{
			machine: machineName(binary.BigEndian.Uint32(table), binary.BigEndian.Uint32(table[4:])),
			offset:  int64(binary.BigEndian.Uint32(table[8:])),
			size:    int64(binary.BigEndian.Uint32(table[12:])),
		}
		if magic == fatMagic64 {
			s.offset = int64(binary.BigEndian.Uint64(table[8:]))
			s.size = int64(binary.BigEndian.Uint64(table[16:]))
		}
		if s.offset < 0 || s.size < 0 || s.offset > size || s.size > size-s.offset {
			return nil, damaged("slice %s lies beyond the end", s.machine)
		}
		slices = append(slices, s)
	}
	return slices, nil
}

func machoProcessor(r io.ReaderAt, size int64) (cpu, subtype uint32, err error) {
	header, err := readBounded(r, size, 0, 12, 12, "header")
	if err != nil {
		return 0, 0, err
	}
	order := machoOrder(header)
	return order.Uint32(header[4:]), order.Uint32(header[8:]), nil
}

func machoOrder(header []byte) binary.ByteOrder {
	switch binary.LittleEndian.Uint32(header) {
	case machMagic, machMagic4:
		return binary.LittleEndian
	}
	return binary.BigEndian
}

// sliceRank returns the machine names in the kernel's order of preference, the best first. A process that Rosetta
// translates prefers x86_64, and its children inherit that.
func sliceRank(host Host) []string {
	switch {
	case host.Arch == "arm64" && host.Translated:
		return []string{"x86_64", "arm64e", "arm64"}
	case host.Arch == "arm64":
		return []string{"arm64e", "arm64", "x86_64"}
	default:
		return []string{"x86_64h", "x86_64"}
	}
}

func chooseSlice(slices []slice, host Host, machine string) (slice, bool) {
	rank := sliceRank(host)
	switch machine {
	case "":
	case "arm64": // arch -arm64 accepts either kind
		rank = []string{"arm64e", "arm64"}
	case "x86_64":
		rank = []string{"x86_64h", "x86_64"}
		if host.Arch == "arm64" {
			rank = []string{"x86_64"}
		}
	default:
		rank = []string{machine}
	}
	for _, wanted := range rank {
		for _, s := range slices {
			if s.machine == wanted {
				return s, true
			}
		}
	}
	return slice{}, false
}

// parseSlice reads the header and the load commands of one slice into image.
func parseSlice(r io.ReaderAt, size int64, image *Image) error {
	header, err := readBounded(r, size, 0, 28, 28, "slice header")
	if err != nil {
		return err
	}
	order := machoOrder(header)
	headerSize := int64(28)
	switch order.Uint32(header) {
	case machMagic:
	case machMagic4:
		headerSize = 32
	default:
		return damaged("the %s slice does not start with a Mach-O header", image.Machine)
	}
	if m := machineName(order.Uint32(header[4:]), order.Uint32(header[8:])); m != image.Machine {
		return damaged("the universal file lists a slice for %s, but that slice is for %s", image.Machine, m)
	}
	image.Library = order.Uint32(header[12:]) == fileDylib
	count := order.Uint32(header[16:])
	commands, err := readBounded(r, size, headerSize, int64(order.Uint32(header[20:])), maxCommandBytes, "load commands")
	if err != nil {
		return err
	}
	for i := uint32(0); i < count; i++ {
		if len(commands) < 8 {
			return damaged("load command %d of %d is cut off", i+1, count)
		}
		length := order.Uint32(commands[4:])
		if length < 8 || int64(length) > int64(len(commands)) {
			return damaged("load command %d has %d bytes", i+1, length)
		}
		if err := parseCommand(r, size, commands[:length], order, image); err != nil {
			return err
		}
		commands = commands[length:]
	}
	return nil
}

func parseCommand(r io.ReaderAt, size int64, c []byte, order binary.ByteOrder, image *Image) error {
	switch order.Uint32(c) {
	case loadSegment:
		return parseSegment(c, order, 48, 56, 68, image)
	case loadSegment64:
		return parseSegment(c, order, 64, 72, 80, image)
	case loadDylinker:
		image.Dynamic = true
	case loadDylib, loadWeakDylib:
		if name, ok := commandString(c, order); ok {
			image.Needed = append(image.Needed, name)
		}
	case loadVersionMin:
		image.Platform = platformMacOS
	case loadBuildVersion:
		if len(c) < 12 {
			return damaged("its build version is cut off")
		}
		image.Platform = order.Uint32(c[8:])
	case loadCodeSignature:
		if len(c) < 16 {
			return damaged("its code signature command is cut off")
		}
		offset, length := int64(order.Uint32(c[8:])), int64(order.Uint32(c[12:]))
		blob, err := readBounded(r, size, offset, length, maxSignature, "code signature")
		if err != nil {
			return err
		}
		image.Signature, err = parseSignature(blob)
		return err
	}
	return nil
}

// parseSegment looks in a segment command for the name __RESTRICT and for Go's build information. Three values differ
// between 32 and 64 bits: nsects, the offset of the number of sections; first, the offset of the first section;
// section, the size of a section.
func parseSegment(c []byte, order binary.ByteOrder, nsects, first, section int, image *Image) error {
	if len(c) < first {
		return damaged("a segment command is cut off")
	}
	name := fixedString(c[8:24])
	if name == "__RESTRICT" {
		image.RestrictSegment = true
	}
	count := order.Uint32(c[nsects:])
	sections := c[first:]
	if int64(count)*int64(section) > int64(len(sections)) {
		return damaged("segment %q claims %d sections but contains fewer", name, count)
	}
	for i := 0; i < int(count); i++ {
		if fixedString(sections[i*section:i*section+16]) == "__go_buildinfo" {
			image.Go = true
		}
	}
	return nil
}

// commandString returns the string of a load command. The command has the string's offset after its own size.
func commandString(c []byte, order binary.ByteOrder) (string, bool) {
	if len(c) < 12 {
		return "", false
	}
	offset := order.Uint32(c[8:])
	if int64(offset) >= int64(len(c)) {
		return "", false
	}
	return fixedString(c[offset:]), true
}

func fixedString(b []byte) string {
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}
