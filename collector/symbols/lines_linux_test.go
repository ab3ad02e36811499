package symbols

import (
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/collector/wire"
)

// Each call is on a line of its own, with its number in a comment; inlined functions are called there.
const lineSource = `
int data = 1;
__attribute__((noinline)) int inner(int x) { __asm__ volatile(""); return x + data; }
static inline __attribute__((always_inline)) int twice(int x) {
	int first = inner(x);
	return first + inner(first);
}
namespace shapes {
struct square { __attribute__((noinline)) int area(int x); };
int square::area(int x) {
	int a = x;
	if (x > 3) {
		int b = twice(x); // inlined
		a += b;
	}
	a += inner(a); // direct
	return a;
}
}
int main(int argc, char **argv) {
	shapes::square s;
	return s.area(argc); // method
}
`

// linesOf builds the source and returns the source's path, the program's path, and the places found for the calls to
// inner and area.
func linesOf(t *testing.T, steps ...string) (source string, found []Location) {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "lines.cc"), filepath.Join(dir, "lines")
	if err := os.WriteFile(source, []byte(lineSource), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		cmd := exec.Command("sh", "-c", step)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("%s: %v\n%s", step, err, out)
		}
	}
	whole, err := elf.Open(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	var addresses []uint64
	for _, function := range []string{"_ZN6shapes6square4areaEi", "main"} {
		addresses = append(addresses, returns(t, whole, function)...)
	}
	if len(addresses) != 4 {
		t.Fatalf("%d calls, not 4", len(addresses))
	}
	image := wire.Image{Start: 0x400000, Size: 1 << 20, BuildID: (&elfFile{File: whole}).buildID(), Path: program}
	places, err := Find(image, addresses, soon())
	if err != nil {
		t.Error(err)
	}
	for _, a := range addresses {
		found = append(found, places[a])
	}
	return source, found
}

// Calls are on their source lines, in every format of debug information that compilers write. Calls inlined into a
// function are on that function's line, because the frame has its name.
func TestLines(t *testing.T) {
	debugFolder = t.TempDir()
	const build = "g++ -O1 -no-pie -Wl,--build-id -o whole lines.cc "
	for name, steps := range map[string][]string{
		"DWARF 5":       {build + "-gdwarf-5", "cp whole lines"},
		"DWARF 4":       {build + "-gdwarf-4", "cp whole lines"},
		"DWARF 3":       {build + "-gdwarf-3 -gstrict-dwarf", "cp whole lines"},
		"compressed":    {build + "-g -gz=zlib", "cp whole lines"},
		"the old way":   {build + "-g", "objcopy --compress-debug-sections=zlib-gnu whole lines"},
		"relative path": {build + "-g -fdebug-prefix-map=$PWD=.", "cp whole lines"},
		"apart": {build + "-g", "id=$(readelf -n whole | sed -n 's/.*Build ID: //p'); rest=${id#??}; folder=" + debugFolder +
			"/${id%$rest}; mkdir -p $folder; " +
			"objcopy --only-keep-debug whole $folder/$rest.debug; objcopy --strip-all whole lines"},
	} {
		t.Run(name, func(t *testing.T) {
			source, found := linesOf(t, steps...)
			slices.SortStableFunc(found, func(a, b Location) int { return a.Line - b.Line }) // compilers order code as they like
			text := strings.Split(lineSource, "\n")
			for i, at := range []string{"inlined", "inlined", "direct", "method"} {
				p := found[i]
				if p.Line < 1 || p.Line > len(text) || !strings.HasSuffix(text[p.Line-1], "// "+at) {
					t.Errorf("call %d, %s: on line %d", i, at, p.Line)
				}
				if want := source; p.File != want && name != "relative path" || filepath.Base(p.File) != "lines.cc" {
					t.Errorf("call %d: in %q, not %q", i, p.File, want)
				}
				want := "_ZN6shapes6square4areaEi"
				if at == "method" {
					want = "main"
				}
				if p.Name != want || p.NoCall || p.Unknown {
					t.Errorf("call %d: %+v, not in %s", i, p, want)
				}
			}
		})
	}
}

// Without debug information there are no lines, and nothing is reported of it.
func TestNoLines(t *testing.T) {
	_, found := linesOf(t, "g++ -O1 -no-pie -Wl,--build-id -o whole lines.cc", "cp whole lines")
	for _, p := range found {
		if p.File != "" || p.Line != 0 || p.Name == "" {
			t.Errorf("%+v", p)
		}
	}
}

// Debug information that is cut or changed at any place is refused, or read as it is, at once and without harm.
func TestBrokenLines(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "lines.cc"), filepath.Join(dir, "lines")
	os.WriteFile(source, []byte(lineSource), 0o644)
	if out, err := exec.Command("g++", "-g", "-O1", "-no-pie", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	addresses := returns(t, f, "main")
	whole, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for _, s := range f.Sections {
		if !strings.HasPrefix(s.Name, ".debug_") {
			continue
		}
		for at := s.Offset; at < s.Offset+s.FileSize; at += 1 + s.FileSize/400 {
			broken := append([]byte(nil), whole...)
			broken[at] ^= 0xff
			if err := os.WriteFile(program, broken, 0o755); err != nil {
				t.Fatal(err)
			}
			places, err := Find(wire.Image{Start: 0x400000, Size: 1 << 20, Path: program}, addresses, soon())
			if len(places) != len(addresses) || places[addresses[0]].Name != "main" {
				t.Fatalf("byte %#x of %s: %v, %v", at-s.Offset, s.Name, places, err)
			}
			outcomes[fmt.Sprint(err != nil, places[addresses[0]].Line > 0)]++
		}
	}
	t.Logf("refused, found: %v", outcomes)
	if outcomes["true false"] == 0 || outcomes["false true"] == 0 {
		t.Errorf("%v", outcomes)
	}
}

// The lines of a Mach-O file are read from its dSYM if there is one of the same build. The file is built by Go for a
// Mac.
func TestMachOLines(t *testing.T) {
	for _, arch := range []string{"arm64", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			dir := t.TempDir()
			os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module lines\n"), 0o644)
			os.WriteFile(filepath.Join(dir, "main.go"),
				[]byte("package main\n\nvar data = 1\n\n//go:noinline\nfunc inner(x int) int { return x + data }\n\n"+
					"//go:noinline\nfunc outer(x int) int {\n\treturn inner(x) + 1\n}\n\nfunc main() { println(outer(1)) }\n"), 0o644)
			program := filepath.Join(dir, "program")
			cmd := exec.Command("go", "build", "-ldflags=-compressdwarf="+fmt.Sprint(arch == "amd64"), "-o", program, ".")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOOS=darwin", "CGO_ENABLED=0", "GOARCH="+arch, "GOFLAGS=-mod=mod")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Skipf("%v\n%s", err, out)
			}
			f, err := macho.Open(program)
			if err != nil {
				t.Fatal(err)
			}
			start, id := uint64(0), ""
			for _, s := range f.Symtab.Syms {
				if s.Name == "main.outer" {
					start = s.Value
				}
			}
			for _, load := range f.Loads {
				if raw := load.Raw(); f.ByteOrder.Uint32(raw) == 0x1b {
					id = hex.EncodeToString(raw[8:24])
				}
			}
			slide := uint64(0x7000000)
			image := wire.Image{Start: f.Segment("__TEXT").Addr + slide, Size: 1 << 24, BuildID: id, Path: program}
			f.Close()
			find := func() Location {
				t.Helper()
				for at := start + slide + 8; at < start+slide+64; at += 4 { // one of these is behind the call
					places, err := Find(image, []uint64{at}, soon())
					if err != nil {
						t.Fatal(err)
					}
					if p := places[at]; p.Line == 10 {
						return p
					}
				}
				return Location{}
			}
			if p := find(); filepath.Base(p.File) != "main.go" || p.Name != "main.outer" {
				t.Errorf("in the file: %+v", p)
			}
			beside := dsym(program)
			os.MkdirAll(filepath.Dir(beside), 0o755)
			if err := os.Rename(program, beside); err != nil {
				t.Fatal(err)
			}
			stripped, err := os.ReadFile(beside)
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(program, []byte(strings.ReplaceAll(string(stripped), "__DWARF", "__NOTED")), 0o755)
			if p := find(); filepath.Base(p.File) != "main.go" {
				t.Errorf("in the dSYM: %+v", p)
			}
			image.BuildID = strings.Repeat("0", 32)
			if _, err := Find(image, []uint64{start + slide + 8}, soon()); id != "" &&
				(err == nil || !strings.Contains(err.Error(), "has changed")) {
				t.Errorf("of another build: %v", err)
			}
		})
	}
}
