package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os/exec"
	"sync"
	"testing"
	"unicode/utf8"
)

// decoders is a running testdata/python_decoders.c.
type decoders struct {
	sync.Mutex
	in     io.Writer
	out    io.Reader
	stderr bytes.Buffer
}

func startDecoders(f *testing.F) *decoders {
	program := build(f, "python_decoders", "gcc", "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra",
		"-Wno-unused-parameter",
		"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffunction-sections", "-Wl,--gc-sections", "-o", "OUT",
		"testdata/python_decoders.c",
		"stacks/python_lines.c", "stacks/python_text.c", "core/utf8.c")
	d := &decoders{}
	cmd := exec.Command(program)
	cmd.Stderr = &d.stderr
	var err error
	if d.in, err = cmd.StdinPipe(); err != nil {
		f.Fatal(err)
	}
	if d.out, err = cmd.StdoutPipe(); err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { d.in.(io.Closer).Close(); cmd.Wait() })
	return d
}

// ask sends a request and returns a u32 of the answer.
func (d *decoders) ask(t *testing.T, what byte, request []byte) uint32 {
	t.Helper()
	message := binary.LittleEndian.AppendUint32([]byte{what}, uint32(len(request)))
	if _, err := d.in.Write(append(message, request...)); err != nil {
		t.Fatalf("%v\n%s", err, d.stderr.Bytes())
	}
	var answer [4]byte
	if _, err := io.ReadFull(d.out, answer[:]); err != nil {
		t.Fatalf("%v\n%s", err, d.stderr.Bytes())
	}
	return binary.LittleEndian.Uint32(answer[:])
}

// A lineRange is a run of instructions, to byte end, and its line; -1 is none.
type lineRange struct{ end, line int64 }

// ranges decodes a table completely: written independently of python_lines.c and with another method.
func ranges(format byte, table []byte, line int64) (all []lineRange, more int64) {
	at := int64(0)
	switch format {
	case 0:
		for ; len(table) >= 2; table = table[2:] {
			at += int64(table[0])
			all = append(all, lineRange{at, line})
			line += int64(int8(table[1]))
		}
		return all, line // bytes after the last step are on its line
	case 1:
		for ; len(table) >= 2; table = table[2:] {
			at += int64(table[0])
			if table[1] == 0x80 {
				all = append(all, lineRange{at, -1})
				continue
			}
			line += int64(int8(table[1]))
			all = append(all, lineRange{at, line})
		}
		return all, -1
	}
	for len(table) > 0 && table[0] >= 0x80 {
		entry := 1
		for entry < len(table) && table[entry] < 0x80 {
			entry++
		}
		kind := int(table[0]>>3) & 15
		at += 2 * (int64(table[0]&7) + 1)
		if kind == 13 || kind == 14 {
			number, last := uint64(0), false
			for i := 1; i < entry && i <= 6 && !last; i++ {
				number |= uint64(table[i]&63) << (6 * (i - 1))
				last = table[i]&64 == 0
			}
			step := int64(number >> 1)
			if number&1 != 0 {
				step = -step
			}
			line += step
		} else if kind >= 10 && kind <= 12 {
			line += int64(kind - 10)
		}
		if kind == 15 {
			all = append(all, lineRange{at, -1})
		} else {
			all = append(all, lineRange{at, line})
		}
		table = table[entry:]
	}
	return all, -1
}

// wantLine is what mt_python_line has to answer.
func wantLine(format byte, table []byte, first, at int64) uint32 {
	line := first
	if at >= 0 {
		all, more := ranges(format, table, first)
		line = more
		for _, r := range all {
			if at < r.end {
				line = r.line
				break
			}
		}
	}
	if line < 1 || line > math.MaxUint32 {
		return 0
	}
	return uint32(line)
}

// FuzzPythonLines decodes tables of any bytes in the three formats, under the sanitizers, and compares with another
// decoder.
func FuzzPythonLines(f *testing.F) {
	for format, table := range [][]byte{
		{0, 1, 2, 1, 4, 0x80, 255, 0, 10, 5, 0, 127, 6, 1},               // 3.9
		{2, 1, 4, 0x80, 255, 0, 10, 0x81, 0, 127, 6, 1, 254, 254},        // 3.10
		{0x80, 0, 0xdb, 1, 2, 0xf8, 0xef, 0x7e, 0x41, 0xf0, 7, 0, 1, 1},  // 3.11: the kinds with columns, none, without, long
		{0xe8, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0xd0, 0, 1, 80}, // a number that does not end in time
		{},
	} {
		for _, at := range []int64{-1, 0, 1, 2, 8, 270, 1 << 40} {
			f.Add(byte(min(format, 2)), int64(100), at, table)
		}
	}
	d := startDecoders(f)
	f.Fuzz(func(t *testing.T, format byte, first, at int64, table []byte) {
		format %= 3
		first = int64(int32(first)) // a C int, as in the code object
		if len(table) > 1<<16 {
			return
		}
		d.Lock()
		defer d.Unlock()
		request := binary.LittleEndian.AppendUint64([]byte{format}, uint64(first))
		request = append(binary.LittleEndian.AppendUint64(request, uint64(at)), table...)
		if got, want := d.ask(t, 'l', request), wantLine(format, table, first, at); got != want {
			t.Errorf("format %d, first line %d, instruction %d, table % x: line %d, want %d", format, first, at, table, got,
				want)
		}
	})
}

// FuzzPythonText reads strings of any characters and widths into buffers of any size, under the sanitizers: the result
// is UTF-8, as much of the string as fits.
func FuzzPythonText(f *testing.F) {
	f.Add(byte(0), []byte("function"), uint16(100))
	f.Add(byte(1), []byte("gr\xfc\xdfe"), uint16(8))
	f.Add(byte(2), []byte{0x08, 0x8a, 0x7b, 0x97, 0x80, 0xdc}, uint16(9))
	f.Add(byte(4), []byte{0x30, 0x03, 1, 0, 0xff, 0xff, 0xff, 0xff}, uint16(0))
	d := startDecoders(f)
	f.Fuzz(func(t *testing.T, kind byte, data []byte, room uint16) {
		kind = []byte{0, 1, 2, 4}[kind%4]
		width := int(max(kind, 1))
		data = data[:len(data)/width*width]
		var want []byte
		for i := 0; i < len(data); i += width {
			if kind == 0 { // bytes as they are, and no more of them than fit
				data[i] &= 0x7f
				if len(want) < int(room) {
					want = append(want, data[i])
				}
				continue
			}
			if int(room)-len(want) < 4 {
				break
			}
			character := append(bytes.Clone(data[i:i+width]), 0, 0, 0)
			want = utf8.AppendRune(want, rune(min(binary.LittleEndian.Uint32(character), utf8.MaxRune+1)))
		}
		d.Lock()
		defer d.Unlock()
		request := append(binary.LittleEndian.AppendUint32([]byte{kind}, uint32(room)), data...)
		got := make([]byte, d.ask(t, 't', request))
		if _, err := io.ReadFull(d.out, got); err != nil {
			t.Fatalf("%v\n%s", err, d.stderr.Bytes())
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes a character, room for %d: % x becomes %q, want %q", kind, room, data, got, want)
		}
	})
}
