package darwin

import (
	"errors"
	"fmt"
)

// reader takes numbers off a byte code; bad is set where it ends too early.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) uleb() (value uint64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if shift > 63 {
			r.bad = true
		}
		if r.bad {
			return 0
		}
		value |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return value
		}
	}
}

func (r *reader) string() string {
	s := cString(r.rest)
	r.rest = r.rest[min(len(s)+1, len(r.rest)):]
	return s
}

// fixable reports whether a pointer of the image may be set there.
func (m *machO) fixable(segment int, offset uint64) error {
	switch {
	case segment < 0:
		return errors.New("no segment is named")
	case segment >= len(m.segments):
		return fmt.Errorf("segment %d of %d", segment, len(m.segments))
	}
	s := m.segments[segment]
	switch {
	case s.size < 8 || offset > s.size-8:
		return fmt.Errorf("%#x is beyond segment %s", offset, s.name)
	case s.protection&canWrite == 0 || s.protection&canExecute != 0:
		return fmt.Errorf("segment %s, with permissions %d, is not for data", s.name, s.protection)
	}
	return nil
}

// mostRepeats keeps a damaged count from running for hours.
const mostRepeats = 1 << 22

func (m *machO) dyldInfo(at int) ([]byte, error) {
	infos := append(m.all(commandDyldInfoOnly), m.all(commandDyldInfo)...)
	if len(infos) == 0 {
		return nil, nil
	}
	return m.part(le.Uint32(infos[0][at:]), le.Uint32(infos[0][at+4:]))
}

func (m *machO) rebasesWrong() error {
	code, err := m.dyldInfo(8)
	if err != nil {
		return err
	}
	r := reader{rest: code}
	segment, offset, kind := -1, uint64(0), byte(0)
	repeat := func(count, step uint64) error {
		if count > mostRepeats {
			return fmt.Errorf("%d rebases at once", count)
		}
		for ; count > 0; count-- {
			if kind != 1 {
				return fmt.Errorf("a rebase of type %d", kind)
			}
			if err := m.fixable(segment, offset); err != nil {
				return fmt.Errorf("a rebase: %w", err)
			}
			offset += step
		}
		return nil
	}
	for len(r.rest) > 0 && !r.bad && err == nil {
		b := r.byte()
		immediate := uint64(b & 0xf)
		switch b & 0xf0 {
		case 0x00:
			if len(r.rest) > 15 {
				return fmt.Errorf("the rebases end %d bytes early", len(r.rest))
			}
		case 0x10:
			kind = byte(immediate)
		case 0x20:
			segment, offset = int(immediate), r.uleb()
		case 0x30:
			offset += r.uleb()
		case 0x40:
			offset += 8 * immediate
		case 0x50:
			err = repeat(immediate, 8)
		case 0x60:
			err = repeat(r.uleb(), 8)
		case 0x70:
			err = repeat(1, 8+r.uleb())
		case 0x80:
			count := r.uleb()
			err = repeat(count, 8+r.uleb())
		default:
			return fmt.Errorf("rebase operation %#x", b)
		}
	}
	if r.bad {
		return errors.New("the rebases are cut off")
	}
	return err
}

// bindsWrong checks the binds at launch, the lazy ones, which begin as pointers and have an end after each, and the
// weak ones, whose library is any.
func (m *machO) bindsWrong() error {
	for _, list := range []struct {
		name  string
		at    int
		state bindState
		ends  bool
	}{
		{"bind", 16, bindState{segment: -1}, true},
		{"weak bind", 24, bindState{segment: -1, located: true, library: -3}, true},
		{"lazy bind", 32, bindState{segment: -1, kind: 1}, false},
	} {
		code, err := m.dyldInfo(list.at)
		if err != nil {
			return err
		}
		if err := m.runBindsStrictly(code, list.state, list.ends); err != nil {
			return fmt.Errorf("a %s: %w", list.name, err)
		}
	}
	return nil
}

// bindState is the state that bind operations set until one binds.
type bindState struct {
	segment int
	offset  uint64
	symbol  string
	library int
	located bool // a library was named
	kind    byte
}

func (m *machO) bindWrong(s bindState) error {
	switch {
	case s.symbol == "":
		return errors.New("no symbol is named")
	case !s.located:
		return fmt.Errorf("%s is bound without a library", s.symbol)
	case s.library > len(m.libraries()) || s.library < -3:
		return fmt.Errorf("%s is bound to library %d of %d", s.symbol, s.library, len(m.libraries()))
	case s.kind != 1:
		return fmt.Errorf("%s is bound as type %d", s.symbol, s.kind)
	}
	return m.fixable(s.segment, s.offset)
}

func (m *machO) runBindsStrictly(code []byte, s bindState, ends bool) error {
	r := reader{rest: code}
	for len(r.rest) > 0 {
		b := r.byte()
		immediate := b & 0xf
		count, step := uint64(0), uint64(8)
		switch b & 0xf0 {
		case opDone:
			if ends {
				return nil
			}
		case opLibraryImmediate:
			s.library, s.located = int(immediate), true
		case opLibraryULEB:
			s.library, s.located = int(r.uleb()), true
		case opLibrarySpecial:
			s.library, s.located = -int(-immediate&0xf), true
		case opSymbol:
			s.symbol = r.string()
		case opType:
			s.kind = immediate
		case opAddend:
			r.uleb()
		case opSegment:
			s.segment, s.offset = int(immediate), r.uleb()
		case opAddAddress:
			s.offset += r.uleb()
		case opBind:
			count = 1
		case opBindAddAddress:
			count, step = 1, 8+r.uleb()
		case opBindAddImmediate:
			count, step = 1, 8+8*uint64(immediate)
		case opBindRepeated:
			count = r.uleb()
			step = 8 + r.uleb()
		default:
			return fmt.Errorf("bind operation %#x", b)
		}
		if r.bad || count > mostRepeats {
			return errors.New("the operations are cut off, or repeat without end")
		}
		for ; count > 0; count-- {
			if err := m.bindWrong(s); err != nil {
				return err
			}
			s.offset += step
		}
	}
	return nil
}

// chainsWrong: the header of chained fixups, and where in each segment's pages they start (<mach-o/fixup-chains.h>).
func (m *machO) chainsWrong() error {
	found := m.all(commandChainedFixups)
	if len(found) == 0 || le.Uint32(found[0][12:]) == 0 {
		return nil
	}
	fixups, err := m.part(le.Uint32(found[0][8:]), le.Uint32(found[0][12:]))
	if err != nil {
		return err
	}
	if len(fixups) < 28 {
		return errors.New("the header of the chained fixups is cut off")
	}
	word := func(at int) uint64 { return uint64(le.Uint32(fixups[at:])) }
	starts, imports, symbols, count := word(4), word(8), word(12), word(16)
	entry := map[uint64]uint64{1: 4, 2: 8, 3: 16}[word(20)]
	switch {
	case word(0) != 0:
		return fmt.Errorf("version %d", word(0))
	case starts+4 > uint64(len(fixups)) || imports > uint64(len(fixups)) || starts > imports:
		return errors.New("the starts or the imports lie beyond the end")
	case entry == 0 || word(24) != 0:
		return fmt.Errorf("imports of format %d, symbols of format %d", word(20), word(24))
	case imports+entry*count > symbols:
		return errors.New("the imports overlap the symbols")
	}
	return m.startsWrong(fixups[starts:imports])
}

// startsWrong checks the table of segments, which ends where the imports start.
func (m *machO) startsWrong(starts []byte) error {
	if len(starts) < 4 {
		return errors.New("the starts are cut off")
	}
	count := uint64(le.Uint32(starts))
	if count != uint64(len(m.segments)) || 4+4*count > uint64(len(starts)) {
		return fmt.Errorf("chains for %d segments of %d", count, len(m.segments))
	}
	formats := map[uint16]bool{}
	for i := range count {
		offset := uint64(le.Uint32(starts[4+4*i:]))
		if offset == 0 {
			continue
		}
		if offset+24 > uint64(len(starts)) {
			return fmt.Errorf("the chains of segment %d lie beyond the end", i)
		}
		info := starts[offset:]
		size, page, format, pages := uint64(le.Uint32(info)), uint64(le.Uint16(info[4:])), le.Uint16(info[6:]),
			uint64(le.Uint16(info[20:]))
		formats[format] = true
		switch {
		case size > uint64(len(info)) || 22+2*pages > size:
			return fmt.Errorf("the chains of segment %d do not end before the imports", i)
		case page != 0x1000 && page != 0x4000:
			return fmt.Errorf("the chains of segment %d are for pages of %d bytes", i, page)
		case format != 2 && format != 6: // DYLD_CHAINED_PTR_64, _64_OFFSET; the others are arm64e's, 32-bit's or the kernel's
			return fmt.Errorf("the pointers of segment %d have format %d", i, format)
		case len(formats) > 1:
			return errors.New("pointers of two formats")
		case m.segments[i].protection&canWrite == 0:
			return fmt.Errorf("chains in segment %s, which is not for writing", m.segments[i].name)
		}
		for p := range pages {
			start := uint64(le.Uint16(info[22+2*p:]))
			if start != 0xffff && start > page {
				return fmt.Errorf("the chain of page %d of segment %d starts beyond it", p, i)
			}
		}
	}
	return nil
}
