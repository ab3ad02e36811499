package darwin

import (
	"errors"
	"fmt"
	"slices"
)

// frames are the descriptions in __eh_frame: offsets in the section at which one of a function begins, and the
// addresses of the pointers to personality functions.
type frames struct {
	functions     []uint64
	personalities []uint64
}

// personality encodings that linkers write for Mach-O: relative to the place and, for personalities, through a pointer.
const (
	encodingRelative = 0x10
	encodingIndirect = 0x80
	encodingSigned4  = 0x0b
)

func (m *machO) framesWrong() error {
	s := m.section("__TEXT", "__eh_frame")
	if s == nil {
		return nil
	}
	content, err := m.content(*s)
	if err != nil {
		return err
	}
	found, err := m.readFrames(*s, content)
	if err != nil {
		return err
	}
	return m.unwindEntriesWrong(found)
}

// readFrames walks the records: the common ones (CIEs), and the records of functions, which refer back to one.
func (m *machO) readFrames(s section, content []byte) (frames, error) {
	var found frames
	if uint64(len(content)) < s.size {
		return found, fmt.Errorf("of the %d bytes of __eh_frame %d are in the file", s.size, len(content))
	}
	common := map[uint64]string{}
	for at := uint64(0); at+4 <= s.size; {
		length := uint64(le.Uint32(content[at:]))
		if length == 0 {
			break
		}
		if length < 8 || length > s.size-at-4 {
			return found, fmt.Errorf("a record of %d bytes at %#x of __eh_frame", length, at)
		}
		body := content[at+4 : at+4+length]
		pointer := uint64(le.Uint32(body))
		if pointer == 0 {
			augmentation, personality, err := readCommon(body[4:])
			if err != nil {
				return found, fmt.Errorf("the common record at %#x of __eh_frame: %w", at, err)
			}
			common[at] = augmentation
			if personality.there {
				place := s.address + at + 8 + personality.at
				found.personalities = append(found.personalities, place+uint64(int64(personality.distance)))
			}
		} else {
			augmentation, ok := common[at+4-pointer]
			if !ok {
				return found, fmt.Errorf("the record at %#x of __eh_frame points back to %#x, where no common record is", at,
					at+4-pointer)
			}
			if err := m.functionWrong(s.address+at+8, body[4:], augmentation); err != nil {
				return found, fmt.Errorf("the record at %#x of __eh_frame: %w", at, err)
			}
			found.functions = append(found.functions, at)
		}
		at += 4 + length
	}
	for _, p := range found.personalities {
		if err := m.personalityWrong(p); err != nil {
			return found, err
		}
	}
	return found, nil
}

// functionWrong checks that the described code is in __TEXT's code. Addresses are 8 bytes, relative to their own
// position, as all compilers write them for Mach-O ("R" with 0x10); with another augmentation nothing is checked.
func (m *machO) functionWrong(place uint64, body []byte, augmentation string) error {
	if augmentation == "" || augmentation[0] != 'z' {
		return nil
	}
	if len(body) < 16 {
		return errors.New("it is cut off")
	}
	start, size := place+le.Uint64(body), le.Uint64(body[8:])
	for _, s := range m.sections() {
		if s.segment == "__TEXT" && s.flags&0x80000400 != 0 && s.address <= start && start+size <= s.address+s.size {
			return nil
		}
	}
	return fmt.Errorf("it describes code at %#x+%#x, where none is", start, size)
}

type personality struct {
	there    bool
	at       uint64 // in the body
	distance int32
}

// readCommon reads the augmentation of a common record and its personality.
func readCommon(body []byte) (string, personality, error) {
	r := reader{rest: body}
	if version := r.byte(); version != 1 && version != 3 {
		return "", personality{}, fmt.Errorf("version %d", version)
	}
	augmentation := r.string()
	r.uleb() // code and data alignment, return address: numbers of any size
	r.uleb()
	r.uleb()
	var p personality
	if augmentation == "" || augmentation[0] != 'z' {
		return augmentation, p, nil
	}
	r.uleb()
	for _, c := range augmentation[1:] {
		switch c {
		case 'P':
			if encoding := r.byte(); encoding != encodingIndirect|encodingRelative|encodingSigned4 || len(r.rest) < 4 {
				return augmentation, p, fmt.Errorf("a personality of encoding %#x", encoding)
			}
			p = personality{true, uint64(len(body) - len(r.rest)), int32(le.Uint32(r.rest))}
			r.rest = r.rest[4:]
		case 'L':
			r.byte()
		case 'R':
			if encoding := r.byte(); encoding != encodingRelative {
				return augmentation, p, fmt.Errorf("addresses of encoding %#x", encoding)
			}
		case 'S', 'B':
		default:
			return augmentation, p, fmt.Errorf("augmentation %q", augmentation)
		}
	}
	if r.bad {
		return augmentation, p, errors.New("it is cut off")
	}
	return augmentation, p, nil
}

// personalityWrong: a personality is found by a pointer that dyld sets, in a segment for data.
func (m *machO) personalityWrong(address uint64) error {
	for i, s := range m.segments {
		if s.address <= address && address < s.address+s.size {
			if address%8 != 0 {
				break
			}
			return m.fixable(i, address-s.address)
		}
	}
	return fmt.Errorf("a personality is looked for at %#x, where no pointer is", address)
}

func (m *machO) unwindTable() ([]byte, error) {
	s := m.section("__TEXT", "__unwind_info")
	if s == nil {
		return nil, nil
	}
	content, err := m.content(*s)
	if err == nil && len(content) < 28 {
		err = errors.New("the table for unwinding is cut off")
	}
	return content, err
}

func (m *machO) unwindTableWrong() error {
	table, err := m.unwindTable()
	if err != nil || table == nil {
		return err
	}
	word := func(at int) uint64 { return uint64(le.Uint32(table[at:])) }
	if word(0) != 1 {
		return fmt.Errorf("version %d", word(0))
	}
	for i, part := range []struct {
		name  string
		bytes uint64
	}{{"common encodings", 4}, {"personalities", 4}, {"index", 12}} {
		if offset, count := word(4+8*i), word(8+8*i); offset+count*part.bytes > uint64(len(table)) {
			return fmt.Errorf("the %s lie beyond the end", part.name)
		}
	}
	for i := range word(16) {
		if err := m.personalityWrong(m.base() + word(int(word(12)+4*i))); err != nil {
			return err
		}
	}
	return nil
}

// unwindEntriesWrong: an entry that refers to __eh_frame names the start of a record of a function there.
func (m *machO) unwindEntriesWrong(found frames) error {
	table, err := m.unwindTable()
	if err != nil || table == nil || m.unwindTableWrong() != nil {
		return err
	}
	mode := uint32(0x04000000) // UNWIND_X86_64_MODE_DWARF
	if m.cpu == 0x100000c {
		mode = 0x03000000 // UNWIND_ARM64_MODE_DWARF
	}
	return eachEncoding(table, func(encoding uint32) error {
		if encoding&0x0f000000 != mode {
			return nil
		}
		if at := uint64(encoding & 0x00ffffff); !slices.Contains(found.functions, at) {
			return fmt.Errorf("the table for unwinding refers to %#x of __eh_frame, where no function's record begins", at)
		}
		return nil
	})
}

// eachEncoding visits the encodings of all entries of the table's pages (<mach-o/compact_unwind_encoding.h>).
func eachEncoding(table []byte, visit func(uint32) error) error {
	word := func(at uint64) uint32 {
		if at+4 > uint64(len(table)) {
			return 0
		}
		return le.Uint32(table[at:])
	}
	half := func(at uint64) uint64 { return uint64(word(at) & 0xffff) }
	commonAt, common, index := uint64(word(4)), uint64(word(8)), uint64(word(20))
	for i := uint64(0); i+1 < uint64(word(24)); i++ {
		page := uint64(word(index + 12*i + 4))
		if page == 0 {
			continue
		}
		for e := range half(page + 6) {
			var encoding uint32
			switch word(page) {
			case 2: // regular: pairs of function and encoding
				encoding = word(page + half(page+4) + 8*e + 4)
			case 3: // compressed: the upper byte is an index into the common encodings, then the page's
				n := uint64(word(page+half(page+4)+4*e) >> 24)
				if n < common {
					encoding = word(commonAt + 4*n)
				} else {
					encoding = word(page + half(page+8) + 4*(n-common))
				}
			default:
				return fmt.Errorf("a page of kind %d", word(page))
			}
			if err := visit(encoding); err != nil {
				return err
			}
		}
	}
	return nil
}
