package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/collector/wire"
)

const source = `
int data = 1;
__attribute__((noinline)) int inner(int x) { __asm__ volatile(""); return x + data; }
static __attribute__((noinline)) int middle(int x) { return inner(x) * 3; }
int outer(int x) { return middle(x) + 1; }
int main(int argc, char **argv) { return outer(argc); }
`

// compile makes a file of the source with gcc and the given flags.
func compile(t testing.TB, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "a.out")
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", append(append([]string{"-O1", "-Wl,--build-id"}, flags...), "-o", out,
		filepath.Join(dir, "a.c"))...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	return out
}

// soon is a time by which lines are found.
func soon() time.Time { return time.Now().Add(3 * time.Minute) }

// returns are the addresses, in a file, that calls in a function return to.
func returns(t *testing.T, f *elf.File, function string) (addresses []uint64) {
	t.Helper()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == function })
	if i < 0 {
		t.Fatalf("no %s in the file", function)
	}
	s := symbols[i]
	code := make([]byte, s.Size)
	if _, err := f.Sections[s.Section].ReadAt(code, int64(s.Value-f.Sections[s.Section].Addr)); err != nil {
		t.Fatal(err)
	}
	starts := map[uint64]bool{}
	for _, s := range symbols {
		starts[s.Value] = true
	}
	for at := range code {
		target, end := uint64(0), uint64(0)
		switch {
		case f.Machine == elf.EM_X86_64 && code[at] == 0xe8 && at+5 <= len(code):
			end = s.Value + uint64(at) + 5
			target = end + uint64(int64(int32(binary.LittleEndian.Uint32(code[at+1:]))))
		case f.Machine == elf.EM_AARCH64 && at%4 == 0 && code[at+3]>>2 == 0x25:
			end = s.Value + uint64(at) + 4
			target = end - 4 + uint64(int64(int32(binary.LittleEndian.Uint32(code[at:])<<6)>>4))
		}
		if starts[target] && target != 0 {
			addresses = append(addresses, end)
		}
	}
	return addresses
}

func TestFind(t *testing.T) {
	for name, flags := range map[string][]string{"position-independent": {"-fPIE", "-pie"}, "fixed": {"-no-pie"},
		"library": {"-fPIC", "-shared", "-Wl,-Bsymbolic"}} {
		t.Run(name, func(t *testing.T) {
			path := compile(t, flags...)
			f, err := elf.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			image := wire.Image{Start: 0x7f1234560000, Size: 1 << 20, BuildID: (&elfFile{File: f}).buildID(), Path: path}
			if image.BuildID == "" {
				t.Error("the file has no build ID")
			}
			bias := image.Start
			if name == "fixed" {
				image.Start, bias = 0x400000, 0
			}
			var all []uint64
			want := map[uint64]Location{0x10: {Unknown: true}}
			for _, function := range []string{"middle", "outer"} { // middle is not among the dynamic symbols
				found := returns(t, f, function)
				if len(found) != 1 {
					t.Fatalf("%d calls in %s", len(found), function)
				}
				want[found[0]+bias] = Location{Name: function}
				want[found[0]+bias+1] = Location{Name: function, NoCall: true}
			}
			symbols, _ := f.Symbols()
			for _, s := range symbols {
				if s.Name == "data" {
					want[s.Value+bias] = Location{Unknown: true}
				}
			}
			for a := range want {
				all = append(all, a, a)
			}
			got, err := Find(image, all, soon())
			if err != nil {
				t.Fatal(err)
			}
			for a, w := range want {
				if got[a] != w {
					t.Errorf("%#x: %+v, want %+v", a, got[a], w)
				}
			}
		})
	}
}

// A library without the full table of symbols still names what it exports.
func TestFindStripped(t *testing.T) {
	path := compile(t, "-fPIC", "-shared", "-Wl,-Bsymbolic")
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	middle, outer := returns(t, f, "middle")[0], returns(t, f, "outer")[0]
	f.Close()
	if out, err := exec.Command("strip", path).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v\n%s", err, out)
	}
	got, err := Find(wire.Image{Start: 0x10000, Size: 1 << 20, Path: path}, []uint64{middle + 0x10000, outer + 0x10000},
		soon())
	if err != nil || got[middle+0x10000] != (Location{}) || got[outer+0x10000] != (Location{Name: "outer"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFindRefuses(t *testing.T) {
	path := compile(t, "-no-pie")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		image wire.Image
		want  string
	}{
		{wire.Image{Path: path, BuildID: "0123"}, "has changed since it was loaded"},
		{wire.Image{Path: path + ".gone"}, "no such file"},
		{wire.Image{Path: text}, ErrNoSymbols.Error()},
		{wire.Image{Path: pipe}, "is not a regular file"},
		{wire.Image{Path: "/dev/zero"}, "is not a regular file"},
		{wire.Image{Path: filepath.Dir(path)}, "is not a regular file"},
	} {
		if got, err := Find(c.image, []uint64{1}, soon()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", c.image.Path, got, err, c.want)
		}
	}
	if _, err := Find(wire.Image{Path: text}, nil, soon()); !errors.Is(err, ErrNoSymbols) {
		t.Error(err)
	}
}

func TestEndsInCall(t *testing.T) {
	for _, c := range []struct {
		machine elf.Machine
		code    string
		want    bool
	}{
		{elf.EM_X86_64, "\xe8\x01\x02\x03\x04", true},
		{elf.EM_X86_64, "\xff\xd0", true},                         // call *%rax
		{elf.EM_X86_64, "\x41\xff\xd4", true},                     // call *%r12
		{elf.EM_X86_64, "\xff\x15\x01\x02\x03\x04", true},         // call *x(%rip)
		{elf.EM_X86_64, "\xff\x50\x10", true},                     // call *16(%rax)
		{elf.EM_X86_64, "\xff\x90\x00\x01\x00\x00", true},         // call *256(%rax)
		{elf.EM_X86_64, "\xff\x54\x24\x08", true},                 // call *8(%rsp)
		{elf.EM_X86_64, "\xff\x14\xc5\x00\x00\x00\x01", true},     // call *table(,%rax,8)
		{elf.EM_X86_64, "\x42\xff\x94\xe0\x00\x01\x00\x00", true}, // call *256(%rax,%r12,8)
		{elf.EM_X86_64, "\xff\x25\x01\x02\x03\x04", false},        // jmp *x(%rip)
		{elf.EM_X86_64, "\x48\x89\xe5", false},                    // mov %rsp,%rbp
		{elf.EM_X86_64, "", false},
		{elf.EM_AARCH64, "\x01\x00\x00\x94", true},  // bl
		{elf.EM_AARCH64, "\x00\x01\x3f\xd6", true},  // blr x8
		{elf.EM_AARCH64, "\x11\x09\x3f\xd7", true},  // blraa x8, x17
		{elf.EM_AARCH64, "\x1f\x09\x3f\xd6", true},  // blraaz x8
		{elf.EM_AARCH64, "\x00\x01\x1f\xd6", false}, // br x8
		{elf.EM_AARCH64, "\xc0\x03\x5f\xd6", false}, // ret
		{elf.EM_AARCH64, "\x94", false},
		{elf.EM_RISCV, "", true},
	} {
		if got := endsInCall(c.machine, []byte(c.code)); got != c.want {
			t.Errorf("%v % x: %v", c.machine, c.code, got)
		}
	}
}

// Files are the program's, and may be anything.
func FuzzFind(f *testing.F) {
	if runtime.GOOS == "linux" {
		if b, err := os.ReadFile(compile(f, "-fPIC", "-shared", "-nostdlib", "-Wl,-z,noseparate-code")); err == nil {
			f.Add(b, uint64(0x1000))
		}
		if b, err := os.ReadFile(compile(f, "-g", "-fPIC", "-shared", "-nostdlib", "-Wl,-z,noseparate-code")); err == nil {
			f.Add(b, uint64(0x1200))
		}
	}
	f.Add([]byte(elf.ELFMAG), uint64(1))
	f.Fuzz(func(t *testing.T, file []byte, address uint64) {
		found, err := findELF(bytes.NewReader(file), wire.Image{Path: "x", Start: 0x1000}, []uint64{address, address + 8},
			soon())
		if (err == nil || strings.Contains(err.Error(), "debug information")) && len(found) == 0 {
			t.Fatal("an address has no result")
		}
	})
}
