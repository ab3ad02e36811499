package symbols

import (
	"bytes"
	"debug/macho"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"mtrace/collector/wire"
)

// dsym returns the path of the debug file (in a .dSYM bundle) that dsymutil writes next to a Mach-O file.
func dsym(file string) string {
	return path.Join(file+".dSYM", "Contents/Resources/DWARF", path.Base(file))
}

// findMachO looks up the source lines of return addresses, in the .dSYM bundle next to the file or in the file
// itself. It does not look up functions in the symbol table, because on macOS the process sends their names itself.
func findMachO(file io.ReaderAt, image wire.Image, addresses []uint64, until time.Time) (map[uint64]Location, error) {
	own, err := machoSlice(file, image)
	if err != nil {
		return nil, err
	}
	text := own.Segment("__TEXT")
	if text == nil {
		return nil, fmt.Errorf("%s has no code", image.Path)
	}
	bias := image.Start - text.Addr // modulo 2⁶⁴, as in dyld's addition
	at := make([]uint64, len(addresses))
	for i, a := range addresses {
		at[i] = a - bias - 1 // address of the call's last byte, in the file's addresses
	}
	debug := own
	if beside, err := openRegular(dsym(image.Path)); err == nil {
		defer beside.Close()
		if slice, err := machoSlice(beside, image); err == nil {
			debug = slice
		}
	}
	found, err := lines(machoSections(debug), at, until)
	places := map[uint64]Location{}
	for i, a := range addresses {
		if l := found[at[i]]; l.number > 0 {
			places[a] = Location{File: l.file, Line: l.number, Name: l.function}
		}
	}
	return places, err
}

// machoSlice returns the slice (the code for one processor) of a Mach-O file that has the image's UUID. If the image
// has no UUID, it returns the first slice. An error means that the file was replaced after the process loaded it.
func machoSlice(file io.ReaderAt, image wire.Image) (*macho.File, error) {
	fat, err := macho.NewFatFile(file)
	if err != nil {
		one, err := macho.NewFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", image.Path, err)
		}
		return sameBuild(one, image)
	}
	for _, arch := range fat.Arches {
		if one, err := sameBuild(arch.File, image); err == nil {
			return one, nil
		}
	}
	return nil, fmt.Errorf("%s has changed since it was loaded", image.Path)
}

func sameBuild(f *macho.File, image wire.Image) (*macho.File, error) {
	const uuidCommand = 0x1b // LC_UUID: command and size u32, 16 bytes (mach-o/loader.h)
	for _, load := range f.Loads {
		if raw := load.Raw(); len(raw) >= 24 && f.ByteOrder.Uint32(raw) == uuidCommand {
			if id := hex.EncodeToString(raw[8:24]); image.BuildID != "" && id != image.BuildID {
				return nil, fmt.Errorf("%s has changed since it was loaded: its UUID is %s, not %s", image.Path, id,
					image.BuildID)
			}
		}
	}
	return f, nil
}

func machoSections(f *macho.File) (sections []debugSection) {
	for _, s := range f.Sections {
		if name, is := strings.CutPrefix(s.Name, "__"); is && s.Seg == "__DWARF" {
			// Names of Mach-O sections have at most 16 characters.
			if name == "debug_str_offs" {
				name = "debug_str_offsets"
			}
			sections = append(sections, debugSection{name, s.Size, s.Data})
		}
	}
	return sections
}

func isMachO(magic []byte) bool {
	for _, m := range []string{"\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xca\xfe\xba\xbf"} {
		if bytes.Equal(magic, []byte(m)) {
			return true
		}
	}
	return false
}

// openRegular opens a file for reading and returns an error unless it is a regular file. A traced process chose the
// path, so it may name a pipe, on which opening or reading would block.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
