package darwin

import (
	"errors"
	"fmt"
	"slices"
)

func (m *machO) segmentsWrong() error {
	for _, s := range m.segments {
		switch {
		case s.offset+s.fileSize < s.offset || s.offset+s.fileSize > uint64(len(m.data)):
			return fmt.Errorf("segment %s extends beyond the end of the file", s.name)
		case s.fileSize > s.size && (s.size != 0 || s.protection != 0):
			return fmt.Errorf("segment %s has more bytes in the file than in memory", s.name)
		case s.protection&^7 != 0:
			return fmt.Errorf("segment %s has permissions %#x", s.name, s.protection)
		case s.address+s.size < s.address:
			return fmt.Errorf("segment %s wraps", s.name)
		}
	}
	return nil
}

func permission(name string, want uint32) func(*machO) error {
	return func(m *machO) error {
		for _, s := range m.segments {
			if s.name == name && s.protection != want {
				return fmt.Errorf("segment %s has permissions %d, not %d", name, s.protection, want)
			}
		}
		return nil
	}
}

func (m *machO) constantsNotReadOnly() error {
	if s := m.segment("__DATA_CONST"); s != nil && s.flags&readOnlyData == 0 {
		return errors.New("__DATA_CONST is not marked SG_READ_ONLY")
	}
	return nil
}

// mapped returns the segments that are mapped into memory: Go's debugging information is not.
func (m *machO) mapped() []segment {
	return slices.DeleteFunc(slices.Clone(m.segments), func(s segment) bool { return s.size == 0 && s.fileSize > 0 })
}

func (m *machO) sectionsBefore() error {
	for _, segment := range m.mapped() {
		for _, s := range segment.sections {
			if int64(s.size) < 0 || s.address < segment.address {
				return fmt.Errorf("section %s begins before its segment %s, or is too large", s.name, segment.name)
			}
		}
	}
	return nil
}

func (m *machO) sectionsBeyond() error {
	for _, segment := range m.mapped() {
		for _, s := range segment.sections {
			if s.address+s.size > segment.address+segment.size {
				return fmt.Errorf("section %s ends beyond its segment %s", s.name, segment.name)
			}
		}
	}
	return nil
}

func (m *machO) textWrong() error {
	text, header := m.segment("__TEXT"), uint64(headerSize+le.Uint32(m.data[20:]))
	switch {
	case text == nil:
		return errors.New("there is no __TEXT segment")
	case text.offset != 0:
		return errors.New("__TEXT does not begin with the file")
	case text.fileSize < header || text.size < header:
		return errors.New("the load commands do not fit in __TEXT")
	}
	return nil
}

func (m *machO) segmentsOverlap() error {
	overlap := func(a, aSize, b, bSize uint64) bool { return b < a+aSize && b+bSize > a }
	for i, a := range m.segments {
		for _, b := range m.segments[i+1:] {
			if overlap(a.address, a.size, b.address, b.size) || overlap(a.offset, a.fileSize, b.offset, b.fileSize) {
				return fmt.Errorf("segments %s and %s overlap", a.name, b.name)
			}
		}
	}
	return nil
}

func (m *machO) segmentNames() error {
	var names []string
	for _, s := range m.segments {
		names = append(names, s.name)
	}
	return twice("segment", names)
}

// segmentOrder: as the commands come, so do the contents in the file and in memory. dyld leaves the last one out, we do
// not.
func (m *machO) segmentOrder() error {
	for i := 1; i < len(m.segments); i++ {
		a, b := m.segments[i-1], m.segments[i]
		if b.offset < a.offset && b.fileSize != 0 {
			return fmt.Errorf("segment %s comes in the file before %s", b.name, a.name)
		}
		if legacy := m.cpu == 0x1000007 && m.fileType == fileTypeExecute && m.flags&flagPIE == 0; b.address < a.address &&
			!legacy {
			return fmt.Errorf("segment %s comes in memory before %s", b.name, a.name)
		}
	}
	return nil
}

// segmentsOffPage: each segment is mapped from the file to its address.
func (m *machO) segmentsOffPage() error {
	for _, s := range m.segments {
		if s.fileSize > 0 && s.size > 0 && (s.offset%m.page() != 0 || s.address%m.page() != 0) {
			return fmt.Errorf("segment %s at %#x in the file and %#x in memory does not begin with a page", s.name, s.offset,
				s.address)
		}
	}
	return nil
}
