package inject

import (
	"bytes"
	"encoding/binary"
	"testing"

	"howett.net/plist"
)

// machoFile describes a Mach-O image that these tests lay out byte by byte,
// after <mach-o/loader.h>. The zero value plus a processor is a plain signed
// macOS executable.
type machoFile struct {
	cpu, subtype uint32
	library      bool
	noLinker     bool
	restrict     bool
	goInfo       bool
	platform     uint32 // 0 means macOS
	unsigned     bool
	signature    signatureBlob
}

// signatureBlob describes an embedded signature, after XNU's cs_blobs.h.
type signatureBlob struct {
	flags        SignatureFlags // 0 means what a linker writes
	platform     uint8
	identifier   string
	team         string
	entitlements map[string]any
	alternate    SignatureFlags // of a second code directory, when not 0
}

type loadCommand []byte

func command(kind uint32, body ...uint32) loadCommand {
	c := binary.LittleEndian.AppendUint32(nil, kind)
	c = binary.LittleEndian.AppendUint32(c, uint32(8+4*len(body)))
	for _, word := range body {
		c = binary.LittleEndian.AppendUint32(c, word)
	}
	return c
}

// withString appends an lc_str and corrects the command's size.
func (c loadCommand) withString(text string) loadCommand {
	c = append(c, text...)
	for c = append(c, 0); len(c)%8 != 0; c = append(c, 0) {
	}
	binary.LittleEndian.PutUint32(c[4:], uint32(len(c)))
	return c
}

func name16(name string) []byte { return append([]byte(name), make([]byte, 16-len(name))...) }

// segment lays out an LC_SEGMENT_64 with empty sections.
func segment(name string, sections ...string) loadCommand {
	c := command(loadSegment64)
	c = append(c, name16(name)...)
	c = append(c, make([]byte, 32)...)                             // addresses and sizes
	c = append(c, make([]byte, 8)...)                              // protections
	c = binary.LittleEndian.AppendUint32(c, uint32(len(sections))) // nsects
	c = binary.LittleEndian.AppendUint32(c, 0)
	for _, section := range sections {
		c = append(c, name16(section)...)
		c = append(c, name16(name)...)
		c = append(c, make([]byte, 48)...)
	}
	binary.LittleEndian.PutUint32(c[4:], uint32(len(c)))
	return c
}

func (m machoFile) bytes(t testing.TB) []byte {
	platform := m.platform
	if platform == 0 {
		platform = platformMacOS
	}
	text := segment("__TEXT", "__text")
	if m.goInfo {
		text = segment("__TEXT", "__text", "__go_buildinfo")
	}
	commands := []loadCommand{
		text,
		command(loadBuildVersion, platform, 13<<16, 14<<16, 0),
		command(loadDylib, 24, 0, 1<<16, 1<<16).withString("/usr/lib/libSystem.B.dylib"),
	}
	if !m.noLinker && !m.library {
		commands = append(commands, command(loadDylinker, 12).withString("/usr/lib/dyld"))
	}
	if m.restrict {
		commands = append(commands, segment("__RESTRICT", "__restrict"))
	}
	kind := uint32(fileExecute)
	if m.library {
		kind = fileDylib
	}
	var blob []byte
	if !m.unsigned {
		blob = m.signature.bytes(t)
		commands = append(commands, command(loadCodeSignature, 0, uint32(len(blob))))
	}
	var body []byte
	for _, c := range commands {
		body = append(body, c...)
	}
	if blob != nil {
		at := len(body) - 8
		binary.LittleEndian.PutUint32(body[at:], uint32(32+len(body)))
	}
	out := binary.LittleEndian.AppendUint32(nil, machMagic4)
	for _, word := range []uint32{m.cpu, m.subtype, kind, uint32(len(commands)), uint32(len(body)), 0, 0} {
		out = binary.LittleEndian.AppendUint32(out, word)
	}
	return append(append(out, body...), blob...)
}

func (s signatureBlob) bytes(t testing.TB) []byte {
	type entry struct {
		slot uint32
		body []byte
	}
	entries := []entry{{slotCodeDirectory, s.directory(s.flags)}}
	if s.entitlements != nil {
		xml, err := plist.MarshalIndent(s.entitlements, plist.XMLFormat, "\t")
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{slotEntitlements, blob(magicEntitlements, xml)})
	}
	if s.alternate != 0 {
		entries = append(entries, entry{slotAlternate, s.directory(s.alternate)})
	}
	var index, bodies []byte
	offset := 12 + 8*len(entries)
	for _, e := range entries {
		index = binary.BigEndian.AppendUint32(index, e.slot)
		index = binary.BigEndian.AppendUint32(index, uint32(offset+len(bodies)))
		bodies = append(bodies, e.body...)
	}
	count := binary.BigEndian.AppendUint32(nil, uint32(len(entries)))
	return blob(magicSuperBlob, bytes.Join([][]byte{count, index, bodies}, nil))
}

func (s signatureBlob) directory(flags SignatureFlags) []byte {
	if flags == 0 {
		flags = SignatureAdhoc | SignatureLinkerSigned
	}
	const fixed = 88 - 8
	d := make([]byte, fixed)
	binary.BigEndian.PutUint32(d[0:], 0x20400)
	binary.BigEndian.PutUint32(d[4:], uint32(flags))
	binary.BigEndian.PutUint32(d[12:], uint32(8+len(d)))
	d = append(append(d, s.identifier...), 0)
	if s.team != "" {
		binary.BigEndian.PutUint32(d[40:], uint32(8+len(d)))
		d = append(append(d, s.team...), 0)
	}
	d[28], d[29], d[30] = 32, 2, s.platform
	return blob(magicCodeDirectory, d)
}

// blob puts magic and length in front of a body.
func blob(magic uint32, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, magic)
	b = binary.BigEndian.AppendUint32(b, uint32(8+len(body)))
	return append(b, body...)
}

// universal joins images as lipo does; wide uses the 64-bit table.
func universal(t testing.TB, wide bool, files ...machoFile) []byte {
	const align = 0x1000
	magic, entry := uint32(fatMagic), 20
	if wide {
		magic, entry = fatMagic64, 32
	}
	out := binary.BigEndian.AppendUint32(nil, magic)
	out = binary.BigEndian.AppendUint32(out, uint32(len(files)))
	table := make([]byte, entry*len(files))
	out = append(out, table...)
	for i, file := range files {
		for len(out)%align != 0 {
			out = append(out, 0)
		}
		body := file.bytes(t)
		e := out[8+i*entry:]
		binary.BigEndian.PutUint32(e, file.cpu)
		binary.BigEndian.PutUint32(e[4:], file.subtype)
		if wide {
			binary.BigEndian.PutUint64(e[8:], uint64(len(out)))
			binary.BigEndian.PutUint64(e[16:], uint64(len(body)))
		} else {
			binary.BigEndian.PutUint32(e[8:], uint32(len(out)))
			binary.BigEndian.PutUint32(e[12:], uint32(len(body)))
		}
		out = append(out, body...)
	}
	return out
}

var (
	arm64  = machoFile{cpu: cpuARM64}
	arm64e = machoFile{cpu: cpuARM64, subtype: 0x80000000 | subtypeARM64E}
	x86    = machoFile{cpu: cpuX86_64, subtype: 3}
)

func (m machoFile) asLibrary() machoFile { m.library = true; return m }

func (m machoFile) signed(flags SignatureFlags, entitlements ...string) machoFile {
	m.signature.flags = flags
	for _, name := range entitlements {
		if m.signature.entitlements == nil {
			m.signature.entitlements = map[string]any{}
		}
		m.signature.entitlements[name] = true
	}
	return m
}
