package symbols

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"time"
)

// A line is the source line of an address, in the function whose symbol contains the address. The code at the address
// may have been inlined into that function. The line is then that of the outermost inlined call: a line inside the
// inlined function would not fit the function's name.
type line struct {
	file     string
	number   int
	function string // the function's name in DWARF; empty if it has none
}

var errLate = errors.New("reading debug information took too long")

// A lineFinder looks up source lines in a file's DWARF data. It reads each compilation unit at most once.
type lineFinder struct {
	data      *dwarf.Data
	tables    []byte   // .debug_line
	addresses []uint64 // in order
	deadline  time.Time
	found     map[uint64]line
}

// findLines looks up the lines of sorted addresses. info and tables are the sections .debug_info and .debug_line of
// the same DWARF data. It skips broken compilation units and returns the first problem as the error, with the lines
// found. After the deadline it stops with errLate.
func findLines(data *dwarf.Data, info, tables []byte, addresses []uint64, deadline time.Time) (found map[uint64]line,
	err error) {
	f := &lineFinder{data, tables, addresses, deadline, map[uint64]line{}}
	defer func() {
		if broken := recover(); broken != nil { // package dwarf panics on some files
			err = fmt.Errorf("its debug information is broken: %v", broken)
		}
		found = f.found
	}()
	for _, at := range units(info) {
		if time.Now().After(deadline) {
			return f.found, errLate
		}
		if problem := f.unit(at); problem != nil && err == nil {
			err = fmt.Errorf("its debug information is broken: %w", problem)
		}
	}
	return f.found, err
}

// units returns the offset of the first entry of each compilation unit in .debug_info, up to the first broken unit
// (DWARF 5, 7.5.1; earlier versions, 7.5.1.1). It leaves out type units, which have no code.
func units(info []byte) (offsets []dwarf.Offset) {
	const typeUnit, splitTypeUnit, skeleton, splitCompile = 2, 6, 4, 5
	for at := uint64(0); at+12 <= uint64(len(info)); {
		length, header := uint64(binary.LittleEndian.Uint32(info[at:])), uint64(4)
		word := uint64(4) // size of an offset in .debug_info, in bytes
		if length == 0xffffffff {
			length, header, word = binary.LittleEndian.Uint64(info[at+4:]), 12, 8
		}
		end := at + header + length
		if end < at || end > uint64(len(info)) || length < 8 {
			break
		}
		first, kind := header+2+word+1, byte(0)
		if version := binary.LittleEndian.Uint16(info[at+header:]); version >= 5 {
			first, kind = header+2+1+1+word, info[at+header+2]
			if kind == skeleton || kind == splitCompile {
				first += 8
			}
		}
		if kind != typeUnit && kind != splitTypeUnit && at+first < end {
			offsets = append(offsets, dwarf.Offset(at+first))
		}
		at = end
	}
	return offsets
}

// within returns the wanted addresses from low (inclusive) up to high (exclusive).
func (f *lineFinder) within(low, high uint64) []uint64 {
	first := sort.Search(len(f.addresses), func(i int) bool { return f.addresses[i] >= low })
	last := sort.Search(len(f.addresses), func(i int) bool { return f.addresses[i] >= high })
	if first >= last {
		return nil
	}
	return f.addresses[first:last]
}

// withinAll returns the wanted addresses that lie in any of the ranges, sorted. It ignores ranges that begin at 0:
// linkers set the addresses of code that they removed to 0.
func (f *lineFinder) withinAll(ranges [][2]uint64) (all []uint64) {
	for _, r := range ranges {
		if r[0] > 0 {
			all = append(all, f.within(r[0], r[1])...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (f *lineFinder) unit(at dwarf.Offset) error {
	r := f.data.Reader()
	r.Seek(at)
	unit, err := r.Next()
	if err != nil || unit == nil || unit.Tag != dwarf.TagCompileUnit {
		return err
	}
	ranges, err := f.data.Ranges(unit)
	if err != nil {
		return err
	}
	addresses := f.withinAll(ranges)
	if len(addresses) == 0 {
		return nil
	}
	files, err := f.statements(unit, addresses)
	if err != nil {
		return err
	}
	if !unit.Children {
		return nil
	}
	return f.functions(r, unit, files)
}

// statements sets the source lines of addresses from a compilation unit's line table. It returns the source files
// that the table lists.
func (f *lineFinder) statements(unit *dwarf.Entry, addresses []uint64) ([]*dwarf.LineFile, error) {
	if err := countsWrong(f.tables, unit); err != nil {
		return nil, err
	}
	table, err := f.data.LineReader(unit)
	if err != nil || table == nil {
		return nil, err
	}
	directory, _ := unit.Val(dwarf.AttrCompDir).(string)
	var before, now dwarf.LineEntry
	for valid := false; ; valid = !now.EndSequence {
		if err := table.Next(&now); err != nil {
			break // the end of the table, or the rest is broken
		}
		if valid && before.Address > 0 && before.File != nil && before.Line > 0 {
			for _, a := range f.within(before.Address, now.Address) {
				if _, is := slices.BinarySearch(addresses, a); is {
					f.found[a] = line{file: absolute(directory, before.File.Name), number: before.Line}
				}
			}
		}
		before = now
	}
	files := table.Files()
	for i, file := range files {
		if file != nil {
			files[i] = &dwarf.LineFile{Name: absolute(directory, file.Name)}
		}
	}
	return files, nil
}

func absolute(directory, name string) string {
	if directory == "" || path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(directory, name)
}

// functions visits the functions of a compilation unit that contain wanted addresses. For these addresses it sets the
// function's name, and for inlined code the line of the inlined call.
func (f *lineFinder) functions(r *dwarf.Reader, unit *dwarf.Entry, files []*dwarf.LineFile) error {
	for depth := 1; depth > 0; {
		if time.Now().After(f.deadline) {
			return nil
		}
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		switch e.Tag {
		case 0:
			depth--
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType, dwarf.TagModule:
			if e.Children {
				depth++
			}
		case dwarf.TagSubprogram:
			if err := f.function(r, e, files); err != nil {
				return err
			}
		default:
			r.SkipChildren()
		}
	}
	return nil
}

func (f *lineFinder) function(r *dwarf.Reader, function *dwarf.Entry, files []*dwarf.LineFile) error {
	ranges, err := f.data.Ranges(function)
	addresses := f.withinAll(ranges)
	if err != nil || len(addresses) == 0 {
		r.SkipChildren()
		return err
	}
	name := f.name(function)
	for _, a := range addresses {
		l := f.found[a]
		l.function = name
		f.found[a] = l
	}
	if !function.Children {
		return nil
	}
	for depth := 1; depth > 0; {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		switch e.Tag {
		case 0:
			depth--
		case dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			if e.Children {
				depth++
			}
		case dwarf.TagInlinedSubroutine:
			if err := f.inlined(e, files); err != nil {
				return err
			}
			r.SkipChildren()
		default:
			r.SkipChildren()
		}
	}
	return nil
}

// inlined sets the line of addresses in inlined code to the line at which the inlined function was called.
func (f *lineFinder) inlined(e *dwarf.Entry, files []*dwarf.LineFile) error {
	ranges, err := f.data.Ranges(e)
	if err != nil {
		return err
	}
	index, hasFile := e.Val(dwarf.AttrCallFile).(int64)
	number, hasLine := e.Val(dwarf.AttrCallLine).(int64)
	if !hasFile || !hasLine || index < 0 || index >= int64(len(files)) || files[index] == nil || number <= 0 {
		return nil
	}
	for _, a := range f.withinAll(ranges) {
		l := f.found[a]
		l.file, l.number = files[index].Name, int(number)
		f.found[a] = l
	}
	return nil
}

// name returns the linkage name of a function, or its plain name if there is no linkage name. If the function's DWARF
// entry has neither, name follows its reference to the function's declaration or abstract origin.
func (f *lineFinder) name(e *dwarf.Entry) string {
	for hops := 0; hops < 3 && e != nil; hops++ {
		for _, attribute := range []dwarf.Attr{dwarf.AttrLinkageName, dwarf.AttrName} {
			if name, is := e.Val(attribute).(string); is && name != "" {
				return name
			}
		}
		at, is := e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		if !is {
			if at, is = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); !is {
				break
			}
		}
		r := f.data.Reader()
		r.Seek(at)
		e, _ = r.Next()
	}
	return ""
}
