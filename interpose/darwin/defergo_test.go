package darwin

import (
	"bytes"
	"debug/macho"
	"errors"
	"testing"
)

// swapImage lays out a library with two constructors, Go's being the second,
// and the slot; chained adds LC_DYLD_CHAINED_FIXUPS and chain bits.
func swapImage(chained, slot, symbol bool) (image []byte, constructors, slotAt int) {
	const text, start, other, nothing = 0x1000, 0x1040, 0x1000, 0x1080
	segment := func(name string, sections ...[]byte) []byte {
		c := make([]byte, segmentFixed)
		le.PutUint32(c, commandSegment64)
		copy(c[8:], name)
		le.PutUint32(c[64:], uint32(len(sections)))
		for _, s := range sections {
			c = append(c, s...)
		}
		le.PutUint32(c[4:], uint32(len(c)))
		return c
	}
	section := func(name, segment string, address uint64, size uint64, offset uint32) []byte {
		s := make([]byte, 80)
		copy(s, name)
		copy(s[16:], segment)
		le.PutUint64(s[32:], address)
		le.PutUint64(s[40:], size)
		le.PutUint32(s[48:], offset)
		return s
	}
	constructors, slotAt = 0x2000, 0x2010
	data := [][]byte{section("__mod_init_func", "__DATA", 0x2000, 16, 0x2000)}
	if slot {
		data = append(data, section(goStartSection, "__DATA", 0x2010, 8, 0x2010))
	}
	commands := [][]byte{segment("__TEXT", section("__text", "__TEXT", text, 0x100, text)), segment("__DATA", data...),
		segment("__LINKEDIT")}
	if chained {
		c := make([]byte, 16)
		le.PutUint32(c, commandChainedFixups)
		le.PutUint32(c[4:], 16)
		commands = append(commands, c)
	}
	name := "__rt0_arm64_darwin_lib\x00"
	if !symbol {
		name = "_some_other_function\x00\x00\x00"
	}
	const symbols, strings = 0x3000, 0x3010
	c := make([]byte, 24)
	for i, v := range []uint32{2, 24, symbols, 1, strings, uint32(1 + len(name))} {
		le.PutUint32(c[4*i:], v)
	}
	commands = append(commands, c)
	image = make([]byte, 0x4000)
	body := bytes.Join(commands, nil)
	for i, v := range []uint32{magic64, 0x0100000c, 0, 6, uint32(len(commands)), uint32(len(body)), 0, 0} {
		le.PutUint32(image[4*i:], v)
	}
	copy(image[headerSize:], body)
	le.PutUint64(image[constructors:], other)
	le.PutUint64(image[constructors+8:], start)
	le.PutUint64(image[slotAt:], nothing)
	if chained { // the distance to the next fixup, in words of 4 bytes, from bit 51 on
		le.PutUint64(image[constructors:], other|2<<51)
		le.PutUint64(image[constructors+8:], start|4<<51)
	}
	le.PutUint32(image[symbols:], 1)
	image[symbols+4], image[symbols+5] = 0xe, 1 // a local symbol of the first section
	le.PutUint64(image[symbols+8:], start)
	copy(image[strings+1:], name)
	return image, constructors, slotAt
}

func TestDeferGo(t *testing.T) {
	for _, chained := range []bool{false, true} {
		image, constructors, slot := swapImage(chained, true, true)
		before := bytes.Clone(image)
		changed, err := DeferGo(image)
		if err != nil {
			t.Fatal(err)
		}
		next, last := uint64(0), uint64(0)
		if chained {
			next, last = 4<<51, 0
		}
		if first := le.Uint64(changed[constructors:]); first != le.Uint64(before[constructors:]) {
			t.Errorf("another constructor was changed to %#x", first)
		}
		if got := le.Uint64(changed[constructors+8:]); got != 0x1080|next {
			t.Errorf("chained %v: Go's constructor is now %#x", chained, got)
		}
		if got := le.Uint64(changed[slot:]); got != 0x1040|last {
			t.Errorf("chained %v: the slot is now %#x", chained, got)
		}
		if !bytes.Equal(image, before) {
			t.Error("the input was changed")
		}
		if _, err := DeferGo(changed); err == nil {
			t.Error("Go's start is put off twice")
		}
	}
	image, _, _ := swapImage(false, false, true)
	if _, err := DeferGo(image); !errors.Is(err, ErrNoSlot) {
		t.Errorf("an image without a slot gives %v", err)
	}
	image, _, _ = swapImage(false, true, false)
	if _, err := DeferGo(image); err == nil || errors.Is(err, ErrNoSlot) {
		t.Errorf("an image without the symbol gives %v", err)
	}
	image, constructors, _ := swapImage(true, true, true)
	le.PutUint64(image[constructors+8:], 0x1040|1<<63)
	if _, err := DeferGo(image); err == nil {
		t.Error("a constructor of another image is put off")
	}
}

// TestDeferGoByOffsets: constructors as newer linkers write them.
func TestDeferGoByOffsets(t *testing.T) {
	image, constructors, slot := swapImage(true, true, true)
	at := bytes.Index(image, []byte("__mod_init_func\x00"))
	copy(image[at:], "__init_offsets\x00\x00")
	le.PutUint64(image[at+40:], 8)
	le.PutUint32(image[constructors:], 0x1000)
	le.PutUint32(image[constructors+4:], 0x1040)
	changed, err := DeferGo(image)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := le.Uint32(changed[constructors:]), le.Uint32(changed[constructors+4:]),
		le.Uint64(changed[slot:]); a != 0x1000 || b != 0x1080 || c != 0x1040 {
		t.Errorf("constructors at %#x and %#x, slot %#x", a, b, c)
	}
}

// TestCrossDefersGo: dyld must not start Go in every process that loads the
// library; the library does at the first Metal call.
func TestCrossDefersGo(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, _ []byte, file *macho.File) {
		start, err := goConstructor(file)
		if err != nil {
			t.Fatal(err)
		}
		constructors, err := file.Section("__mod_init_func").Data()
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at+8 <= len(constructors); at += 8 {
			if le.Uint64(constructors[at:]) == start {
				t.Error("dyld starts Go")
			}
		}
		slot := file.Section(goStartSection)
		if slot == nil {
			t.Fatal("there is no slot")
		}
		if pointer, err := slot.Data(); err != nil || le.Uint64(pointer) != start {
			t.Errorf("the slot holds %x, want %#x (%v)", pointer, start, err)
		}
		if slot.Seg != "__DATA" {
			t.Errorf("the slot is in %s, which may be read-only", slot.Seg)
		}
	})
}

func FuzzDeferGo(f *testing.F) {
	for _, chained := range []bool{false, true} {
		image, _, _ := swapImage(chained, true, true)
		f.Add(image)
	}
	f.Fuzz(func(t *testing.T, image []byte) {
		if changed, err := DeferGo(image); err == nil && len(changed) != len(image) {
			t.Error("the size changed")
		}
	})
}
