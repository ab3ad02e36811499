package darwin

import (
	"bytes"
	"debug/macho"
	"testing"
)

// stubOf returns the address of the stub that jumps to an imported function.
// libobjc looks for one form only on x86-64: jmpq *slot(%rip).
// 0 when none does.
func stubOf(t *testing.T, image []byte, file *macho.File, symbol string) uint64 {
	t.Helper()
	bound, err := binds(image, file)
	if err != nil {
		t.Fatal(err)
	}
	section := file.Section("__stubs")
	code, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+6 <= len(code); at += 2 {
		address, slot := section.Addr+uint64(at), uint64(0)
		switch {
		case file.Cpu == macho.CpuAmd64 && code[at] == 0xff && code[at+1] == 0x25:
			slot = address + 6 + uint64(int64(int32(le.Uint32(code[at+2:]))))
		case file.Cpu == macho.CpuArm64 && at%4 == 0 && at+12 <= len(code):
			slot = slotOfArm64(address, code[at:])
		}
		if slot != 0 && bound[slot].symbol == symbol {
			return address
		}
	}
	return 0
}

// slotOfArm64 decodes adrp x16; ldr x16, [x16, #offset]; br x16.
func slotOfArm64(address uint64, code []byte) uint64 {
	adrp, ldr, br := le.Uint32(code), le.Uint32(code[4:]), le.Uint32(code[8:])
	if adrp&0x9f00001f != 0x90000010 || ldr&0xffc003ff != 0xf9400210 || br != 0xd61f0200 {
		return 0
	}
	pages := int64(int32(adrp<<8)>>13)<<2 | int64(adrp>>29&3)
	return address&^0xfff + uint64(pages<<12) + uint64(ldr>>10&0xfff)*8
}

// handOff counts the places at which trampolines receive and return autoreleased objects.
type handOff struct {
	claims, late, jumps, calls int
}

func (h *handOff) claimed(directly bool) {
	h.claims++
	if !directly {
		h.late++
	}
}

func handOffAmd64(text []byte, base, claim, give uint64) (h handOff) {
	for at := 8; at+5 <= len(text); at++ {
		if text[at] != 0xe8 && text[at] != 0xe9 {
			continue
		}
		target := base + uint64(at) + 5 + uint64(int64(int32(le.Uint32(text[at+1:]))))
		switch {
		case target == claim:
			before, marker := text[at-8:at-3], text[at-3:at]
			register := before[3] == 0xff && before[4]&0xf8 == 0xd0 // callq *%reg
			memory := before[2] == 0xff && before[3] == 0x55        // callq *offset(%rbp)
			h.claimed(bytes.Equal(marker, []byte{0x48, 0x89, 0xc7}) && (register || memory))
		case target == give && text[at] == 0xe9:
			h.jumps++
		case target == give:
			h.calls++
		}
	}
	return h
}

func handOffArm64(text []byte, base, claim, give uint64) (h handOff) {
	word := func(at int) uint32 { return le.Uint32(text[at:]) }
	for at := 8; at+4 <= len(text); at += 4 {
		w := word(at)
		if w&0x7c000000 != 0x14000000 { // b, bl
			continue
		}
		target := base + uint64(at) + uint64(int64(int32(w<<6)>>6)*4)
		isCall := w>>31 == 1
		switch {
		case target == claim:
			h.claimed(isCall && word(at-4) == 0xaa1d03fd && word(at-8)&0xfffffc1f == 0xd63f0000) // mov x29, x29 behind blr
		case target == give && !isCall:
			h.jumps++
		case target == give:
			h.calls++
		}
	}
	return h
}

// TestCrossHandsOverAutoreleased: a method that returns an autoreleased object passes it to the trampoline, and the
// trampoline to the program, without a pool. That works only with the machine code that libobjc looks for (objc4,
// runtime/objc-object.h): the claim directly after the call, with its marker, and a jump at the end. Trampolines
// executed other code between the two, and objects stayed in a pool until that was drained.
func TestCrossHandsOverAutoreleased(t *testing.T) {
	each(t, "libmtrace.dylib", func(t *testing.T, image []byte, file *macho.File) {
		section := file.Section("__text")
		text, err := section.Data()
		if err != nil {
			t.Fatal(err)
		}
		claim := stubOf(t, image, file, "_objc_retainAutoreleasedReturnValue")
		give := stubOf(t, image, file, "_objc_autoreleaseReturnValue")
		if claim == 0 || give == 0 {
			t.Fatal("the library does not call the functions that hand objects over")
		}
		count := handOffAmd64
		if file.Cpu == macho.CpuArm64 {
			count = handOffArm64
		}
		h := count(text, section.Addr, claim, give)
		// A trampoline calls its original in two places: recorded, and inside another call.
		if h.late > 0 || h.calls > 0 || h.jumps < 200 || h.claims != 2*h.jumps {
			t.Errorf("%d claims, %d not directly behind a call, for %d jumps to objc_autoreleaseReturnValue, and %d calls of it",
				h.claims, h.late, h.jumps, h.calls)
		}
	})
}

// TestCrossSignpostIsATailCall: os_log determines a signpost's image from its return address. On arm64 the compiler
// made a call instead of a jump, because the function may be missing. The code now jumps through the function's
// pointer, so no code calls it by a stub.
func TestCrossSignpostIsATailCall(t *testing.T) {
	const emit = "__os_signpost_emit_with_name_impl"
	each(t, "libmtrace.dylib", func(t *testing.T, image []byte, file *macho.File) {
		bound, err := binds(image, file)
		if err != nil {
			t.Fatal(err)
		}
		pointers := 0
		for _, b := range bound {
			if b.symbol == emit {
				pointers++
			}
		}
		if stub := stubOf(t, image, file, emit); stub != 0 || pointers < 2 { // the pair's and the jump's
			t.Errorf("%s has a stub at %#x and %d pointers", emit, stub, pointers)
		}
	})
}
