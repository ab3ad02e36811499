package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"mtrace/collector/wire"
)

// An elfFile is the ELF file of a loaded image. An address in memory is the address in the file plus bias.
type elfFile struct {
	*elf.File
	bias uint64
}

func findELF(r io.ReaderAt, image wire.Image, addresses []uint64, until time.Time) (map[uint64]Location, error) {
	magic := make([]byte, len(elf.ELFMAG))
	if _, err := r.ReadAt(magic, 0); err != nil || string(magic) != elf.ELFMAG {
		return nil, ErrNoSymbols
	}
	parsed, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", image.Path, err)
	}
	if parsed.Class != elf.ELFCLASS64 || parsed.Data != elf.ELFDATA2LSB {
		return nil, fmt.Errorf("%s is for another kind of machine", image.Path)
	}
	f := &elfFile{File: parsed}
	if id := f.buildID(); image.BuildID != "" && id != image.BuildID {
		return nil, fmt.Errorf("%s has changed since it was loaded: its build ID is %s, not %s", image.Path, id,
			image.BuildID)
	}
	first := ^uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			first = min(first, p.Vaddr)
		}
	}
	f.bias = image.Start - first // modulo 2⁶⁴, as in the loader's addition
	places := f.code(addresses)
	f.name(places)
	err = f.lines(places, until)
	found := make(map[uint64]Location, len(places))
	for i := range places {
		found[places[i].address] = places[i].Location
	}
	return found, err
}

// lines sets the source lines of places, and the names of functions that the symbol table lacks. places must be
// sorted by at. It uses the debug information in the file or, if there is none, in a separate file.
func (f *elfFile) lines(places []pendingLocation, until time.Time) error {
	at := make([]uint64, 0, len(places))
	for i := range places {
		if !places[i].Unknown {
			at = append(at, places[i].at)
		}
	}
	if len(at) == 0 {
		return nil
	}
	sections := elfSections(f.File)
	if len(sections) == 0 {
		apart, close := f.apart()
		defer close()
		sections = apart
	}
	found, err := lines(sections, slices.Compact(at), until)
	for i := range places {
		p := &places[i]
		if l := found[p.at]; !p.Unknown {
			p.File, p.Line = l.file, l.number
			if p.Name == "" {
				p.Name = l.function
			}
		}
	}
	return err
}

func elfSections(f *elf.File) (sections []debugSection) {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || !strings.HasPrefix(s.Name, ".debug_") && !strings.HasPrefix(s.Name, ".zdebug_") {
			continue
		}
		sections = append(sections, debugSection{s.Name[1:], s.Size, s.Data})
	}
	return sections
}

// debugFolder is the folder in which Linux distributions install separate debug information, ordered by build ID.
var debugFolder = "/usr/lib/debug/.build-id"

// apart returns the debug sections of a separate file that the system has installed for this build, or none. The
// caller must call close.
func (f *elfFile) apart() (sections []debugSection, close func()) {
	close = func() {}
	id := f.buildID()
	if len(id) < 4 {
		return nil, close
	}
	file, err := openRegular(path.Join(debugFolder, id[:2], id[2:]+".debug"))
	if err != nil {
		return nil, close
	}
	parsed, err := elf.NewFile(file)
	if err != nil {
		file.Close()
		return nil, close
	}
	return elfSections(parsed), func() { file.Close() }
}

// buildID returns the GNU build ID in hexadecimal, or "" if the file has none. It is in a note with type 3 and owner
// "GNU".
func (f *elfFile) buildID() string {
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<16 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil && err != io.EOF {
			continue
		}
		for len(b) >= 12 {
			name, description, kind := f.ByteOrder.Uint32(b), f.ByteOrder.Uint32(b[4:]), f.ByteOrder.Uint32(b[8:])
			b = b[12:]
			padded, end := (uint64(name)+3)&^3, (uint64(name)+3)&^3+(uint64(description)+3)&^3
			if end > uint64(len(b)) {
				break
			}
			if kind == 3 && bytes.Equal(b[:name], []byte("GNU\x00")) {
				return hex.EncodeToString(b[padded : padded+uint64(description)])
			}
			b = b[end:]
		}
	}
	return ""
}

// A pendingLocation is a Location (function and source line of an address) that is not complete yet, with the data to
// find its symbol.
type pendingLocation struct {
	Location
	address uint64
	at      uint64 // address of the call's last byte, in the file's addresses
	start   uint64 // address of the best symbol so far
	name    uint32 // offset of the symbol's name in the table of strings; 0 if no symbol was found
}

// code returns one place for each address, sorted by the field `at`. It sets Unknown for an address outside the
// file's code. It sets NoCall if no call instruction precedes the address: such an address cannot be a return
// address.
func (f *elfFile) code(addresses []uint64) []pendingLocation {
	places := make([]pendingLocation, len(addresses))
	var before [longestCall]byte
	for i, a := range addresses {
		at := a - f.bias - 1
		places[i] = pendingLocation{Location: Location{Unknown: true}, address: a, at: at}
		for _, p := range f.Progs {
			if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || at < p.Vaddr || at-p.Vaddr >= p.Filesz {
				continue
			}
			places[i].Unknown = false
			n := min(uint64(len(before)), at-p.Vaddr+1)
			if _, err := p.ReadAt(before[len(before)-int(n):], int64(at-p.Vaddr+1-n)); err == nil {
				places[i].NoCall = !endsInCall(f.Machine, before[len(before)-int(n):])
			}
		}
	}
	slices.SortFunc(places, func(a, b pendingLocation) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return places
}

// symbolSize is the size of an Elf64_Sym in bytes: name u32, info u8, other u8, section u16, value u64, size u64.
const symbolSize = 24

// name sets the function names of places, which must be sorted by their field `at`. It reads the full symbol table,
// or the dynamic linker's table if the file has no other. Tables may have a million entries, so name reads them in
// pieces and does not store them.
func (f *elfFile) name(places []pendingLocation) {
	table := f.SectionByType(elf.SHT_SYMTAB)
	if table == nil {
		table = f.SectionByType(elf.SHT_DYNSYM)
	}
	if table == nil || int(table.Link) >= len(f.Sections) || len(places) == 0 {
		return
	}
	in := table.Open()
	buffer := make([]byte, 4096*symbolSize)
	for {
		n, err := io.ReadFull(in, buffer)
		for b := buffer[:n/symbolSize*symbolSize]; len(b) > 0; b = b[symbolSize:] {
			if kind := elf.ST_TYPE(b[4]); kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC {
				continue
			}
			name, start, size := f.ByteOrder.Uint32(b), f.ByteOrder.Uint64(b[8:]), f.ByteOrder.Uint64(b[16:])
			for i := sort.Search(len(places), func(i int) bool { return places[i].at >= start }); i < len(places) &&
				places[i].at-start < size; i++ {
				if p := &places[i]; p.name == 0 || start > p.start {
					p.start, p.name = start, name
				}
			}
		}
		if err != nil {
			break
		}
	}
	names := f.Sections[table.Link]
	for i := range places {
		if p := &places[i]; p.name != 0 {
			p.Name = text(names, p.name)
		}
	}
}

// text returns the string at an offset of a string table, cut to the maximum length of a fact (a name or other data
// of variable size). It returns "" if the table has no data.
func text(table *elf.Section, offset uint32) string {
	if table.ReaderAt == nil {
		return ""
	}
	b := make([]byte, wire.MaxFactText)
	n, _ := table.ReadAt(b, int64(offset))
	name, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(bytes.ToValidUTF8(name, []byte("?")))
}
