package symbols

import (
	"debug/elf"
	"encoding/binary"
)

// longestCall is the length of the longest call instruction, in bytes. It is an x86-64 call through memory, with a
// prefix, a SIB byte and a 32-bit displacement.
const longestCall = 8

// endsInCall reports whether code ends with a call instruction, as the code before every return address does. It
// returns true for processors whose instructions it does not know.
func endsInCall(machine elf.Machine, code []byte) bool {
	switch machine {
	case elf.EM_X86_64:
		return endsInCallAMD64(code)
	case elf.EM_AARCH64:
		return endsInCallARM64(code)
	}
	return true
}

// endsInCallAMD64 recognizes the two forms of a near call. call rel32 is E8 and 4 bytes. call r/m64 is FF, a ModRM
// byte whose middle field is 2, and the bytes that the ModRM byte requires (Intel's manual, volume 2, CALL and table
// 2-2). Prefixes come before these bytes and are not checked.
func endsInCallAMD64(code []byte) bool {
	if n := len(code); n >= 5 && code[n-5] == 0xe8 {
		return true
	}
	for length := 2; length <= 7 && length <= len(code); length++ {
		at := code[len(code)-length:]
		if at[0] != 0xff || at[1]>>3&7 != 2 {
			continue
		}
		want := 2
		mode, register := at[1]>>6, at[1]&7
		if mode != 3 && register == 4 {
			want++ // a SIB byte
			if mode == 0 && length > 2 && at[2]&7 == 5 {
				want += 4
			}
		}
		switch {
		case mode == 1:
			want++
		case mode == 2, mode == 0 && register == 5:
			want += 4
		}
		if want == length {
			return true
		}
	}
	return false
}

// endsInCallARM64 recognizes BL, BLR, and BLRA with its keys (Arm Architecture Reference Manual, C6.2).
func endsInCallARM64(code []byte) bool {
	if len(code) < 4 {
		return false
	}
	word := binary.LittleEndian.Uint32(code[len(code)-4:])
	return word>>26 == 0x25 || word&0xfffffc1f == 0xd63f0000 || word&0xfeff_f800 == 0xd63f0800
}
