package darwin

import (
	"bytes"
	"debug/macho"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// program builds this package's own tool for macOS: a real Mach-O executable
// as Go's linker writes it, signed for arm64 and unsigned for amd64.
var program = func() func(t testing.TB, arch string) []byte {
	var lock sync.Mutex
	built := map[string][]byte{}
	return func(t testing.TB, arch string) []byte {
		t.Helper()
		lock.Lock()
		defer lock.Unlock()
		if image := built[arch]; image != nil {
			return image
		}
		out := filepath.Join(t.TempDir(), "program")
		build := exec.Command("go", "build", "-o", out, "./universal")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=darwin", "GOARCH="+arch)
		if message, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building for darwin/%s: %v\n%s", arch, err, message)
		}
		image, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		built[arch] = image
		return image
	}
}()

// TestVerifyAgreesWithGo holds the reader of signatures against one that
// another linker wrote.
func TestVerifyAgreesWithGo(t *testing.T) {
	if err := Verify(program(t, "arm64")); err != nil {
		t.Errorf("the signature of Go's linker: %v", err)
	}
	if err := Verify(program(t, "amd64")); !errors.Is(err, ErrUnsigned) {
		t.Errorf("an image Go's linker does not sign: %v", err)
	}
}

func TestSign(t *testing.T) {
	for _, arch := range []string{"arm64", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			signed, err := Sign(program(t, arch), "test")
			if err != nil {
				t.Fatal(err)
			}
			if err := Verify(signed); err != nil {
				t.Fatal(err)
			}
			again, err := Sign(signed, "test")
			if err != nil || !bytes.Equal(again, signed) {
				t.Errorf("signing twice does not give the same file: %v", err)
			}
			file, err := macho.NewFile(bytes.NewReader(signed))
			if err != nil {
				t.Fatal(err)
			}
			linkedit := file.Segment("__LINKEDIT")
			if end := linkedit.Offset + linkedit.Filesz; end != uint64(len(signed)) {
				t.Errorf("__LINKEDIT ends at %d, the file at %d", end, len(signed))
			}
			if linkedit.Memsz < linkedit.Filesz {
				t.Errorf("__LINKEDIT has %d bytes in memory and %d in the file", linkedit.Memsz, linkedit.Filesz)
			}
		})
	}
}

// TestVerifyFindsDamage changes one byte in each part that a signature covers.
func TestVerifyFindsDamage(t *testing.T) {
	signed, err := Sign(program(t, "amd64"), "test")
	if err != nil {
		t.Fatal(err)
	}
	f, err := parseThin(signed)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := f.codeLimit()
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]int{
		"flags of the header": 24, "middle of the code": limit / 2, "last byte of the code": limit - 1,
		"magic of the signature": limit, "a hash": len(signed) - 1,
	} {
		damaged := bytes.Clone(signed)
		damaged[at] ^= 1
		if err := Verify(damaged); err == nil {
			t.Errorf("%s: a changed byte is not noticed", name)
		}
	}
	if err := Verify(signed[:len(signed)-1]); err == nil {
		t.Error("a missing byte is not noticed")
	}
}

func TestJoin(t *testing.T) {
	arm, intel := program(t, "arm64"), program(t, "amd64")
	joined, err := Join(arm, intel)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Join(intel, arm); err != nil || !bytes.Equal(joined, other) {
		t.Errorf("the order of the images changes the result: %v", err)
	}
	file, err := macho.NewFatFile(bytes.NewReader(joined))
	if err != nil {
		t.Fatal(err)
	}
	want := map[macho.Cpu][]byte{macho.CpuArm64: arm, macho.CpuAmd64: intel}
	for _, a := range file.Arches {
		if !bytes.Equal(joined[a.Offset:a.Offset+a.Size], want[a.Cpu]) {
			t.Errorf("the %v slice is not the image that went in", a.Cpu)
		}
		if a.Offset%(1<<a.Align) != 0 || a.Align != 14 {
			t.Errorf("the %v slice lies at %#x, aligned to 2^%d", a.Cpu, a.Offset, a.Align)
		}
	}
	if images, err := Split(joined); err != nil || len(images) != 2 || !bytes.Equal(images[0], intel) ||
		!bytes.Equal(images[1], arm) {
		t.Errorf("splitting gives %d images, %v", len(images), err)
	}
	if _, err := Join(arm, arm); err == nil {
		t.Error("two images for one processor are joined")
	}
	if _, err := Join([]byte("no image")); err == nil {
		t.Error("text is joined")
	}
}

// FuzzThin: images of any content are refused or signed so that the signature
// verifies.
func FuzzThin(f *testing.F) {
	head := program(f, "arm64")[:4096]
	f.Add(head)
	f.Add(head[:100])
	f.Add([]byte{0xcf, 0xfa, 0xed, 0xfe})
	f.Add([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, image []byte) {
		_ = Verify(image)
		_, _ = Split(image)
		signed, err := Sign(image, "fuzz")
		if err != nil {
			return
		}
		if err := Verify(signed); err != nil {
			t.Errorf("a signature of ours does not verify: %v", err)
		}
	})
}
