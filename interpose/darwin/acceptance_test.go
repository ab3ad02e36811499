package darwin

import (
	"bytes"
	"debug/macho"
	"fmt"
	"testing"
)

// TestCrossAcceptedByDyld checks each slice of each file that cross.sh builds against dyld's rules: the rules for the
// SDK in the file's build version, and the strictest rules.
func TestCrossAcceptedByDyld(t *testing.T) {
	for _, name := range built {
		each(t, name, func(t *testing.T, image []byte, _ *macho.File) {
			for _, sdk := range []version{0, strictest} {
				for _, err := range refusals(image, sdk) {
					t.Errorf("%s, by the rules of SDK %v: %v", name, sdk, err)
				}
			}
		})
	}
}

// TestChangedBitsAreRefused changes real files: a copy with any changed bit no longer matches the hash in its
// signature, and changes relevant to dyld are refused whatever the signature.
func TestChangedBitsAreRefused(t *testing.T) {
	for name, image := range images(t) {
		t.Run(name, func(t *testing.T) {
			if found := refusals(image, 0); len(found) > 0 || Verify(image) != nil {
				t.Fatalf("refused as it is: %v, %v", found, Verify(image))
			}
			f, err := parseThin(image)
			if err != nil {
				t.Fatal(err)
			}
			limit, _ := f.codeLimit()
			changed := bytes.Clone(image)
			for at := 16; at < limit; at += limit/4 + 1 {
				changed[at] ^= 4
				if Verify(changed) == nil && len(refusals(changed, 0)) == 0 {
					t.Errorf("a bit changed at %#x is not seen", at)
				}
				changed[at] ^= 4
			}
			for what, damage := range damages(image) {
				changed := bytes.Clone(image)
				damage(changed)
				if len(refusals(changed, strictest)) == 0 {
					t.Errorf("%s is not refused", what)
				}
			}
		})
	}
}

// damages returns changes to a real file; the file's content determines which ones.
func damages(image []byte) map[string]func([]byte) {
	all := map[string]func([]byte){
		"code for writing":             func(b []byte) { command(b, commandSegment64, "__TEXT")[60] |= canWrite },
		"__LINKEDIT for writing":       func(b []byte) { command(b, commandSegment64, "__LINKEDIT")[60] |= canWrite },
		"a segment off its page":       func(b []byte) { command(b, commandSegment64, "__DATA")[24] ^= 0x10 },
		"data over the next segment":   func(b []byte) { command(b, commandSegment64, "__DATA")[32+4] ^= 1 },
		"a table of symbols elsewhere": func(b []byte) { command(b, commandSymtab, "")[8] ^= 4 },
		"one symbol more":              func(b []byte) { command(b, commandSymtab, "")[12] ^= 1 },
		"no UUID":                      func(b []byte) { rename(b, commandUUID) },
		"another platform":             func(b []byte) { command(b, commandBuildVersion, "")[8] = 7 },
		"an unknown rebase": func(b []byte) {
			if at := le.Uint32(command(b, commandDyldInfoOnly, "")[8:]); at != 0 {
				b[at] |= 0xf0
			}
		},
		"a bind elsewhere": func(b []byte) { b[le.Uint32(command(b, commandDyldInfoOnly, "")[16:])] |= 0xe0 },
	}
	m, err := readMachO(image)
	if err != nil {
		panic(fmt.Sprint("an image that was accepted is none: ", err))
	}
	if s := m.section("__TEXT", "__eh_frame"); s != nil {
		all["a record of a function of another size"] = func(b []byte) { b[s.offset] ^= 0x4 }
	}
	if s := m.section("__TEXT", "__unwind_info"); s != nil {
		all["a table for unwinding of another version"] = func(b []byte) { b[s.offset] ^= 2 }
	}
	if s := m.section("__DATA_CONST", "__mod_init_func"); s != nil {
		all["an initializer elsewhere"] = func(b []byte) { b[s.offset+3] ^= 0x40 }
	}
	return all
}

// TestPin: an image gets the requested versions, keeps everything else, and stays acceptable.
func TestPin(t *testing.T) {
	thirteen, err := ParseVersion("13.0")
	if err != nil || thirteen != 13<<16 {
		t.Fatalf("%v, %v", thirteen, err)
	}
	sdk, err := ParseVersion("14.2.1")
	if err != nil || sdk.String() != "14.2.1" {
		t.Fatalf("%v, %v", sdk, err)
	}
	for _, bad := range []string{"", "13.", "thirteen", "13.0.0.0", "300.0", "-1"} {
		if v, err := ParseVersion(bad); err == nil {
			t.Errorf("%q is taken as %v", bad, v)
		}
	}
	for _, arch := range []string{"arm64", "amd64"} {
		image := program(t, arch)
		pinned, err := Pin(image, thirteen, sdk)
		if err != nil {
			t.Fatal(err)
		}
		c := command(pinned, commandBuildVersion, "")
		if le.Uint32(c[12:]) != uint32(thirteen) || le.Uint32(c[16:]) != uint32(sdk) {
			t.Errorf("the image says %x", c)
		}
		differing := 0
		for i := range image {
			if image[i] != pinned[i] {
				differing++
			}
		}
		if differing > 8 || len(image) != len(pinned) {
			t.Errorf("%d bytes differ", differing)
		}
	}
	without := bytes.Clone(program(t, "arm64"))
	rename(without, commandBuildVersion)
	if _, err := Pin(without, thirteen, sdk); err == nil {
		t.Error("an image that names no system is pinned")
	}
}
