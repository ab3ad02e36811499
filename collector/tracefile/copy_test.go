package tracefile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
)

func copyAll(dst *bytes.Buffer, data []byte) (n int64, whole bool, err error) {
	c := Copier{Dst: dst, Name: "t"}
	err = c.From(bytes.NewReader(data))
	return c.Size(), c.Whole(), err
}

// A Copier's output for a stream that ends anywhere equals the complete blocks of a file that is cut there.
func TestCopyCutAnywhere(t *testing.T) {
	path, _ := writeSmall(t, true)
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for size := range len(all) + 1 {
		var out bytes.Buffer
		n, whole, err := copyAll(&out, all[:size])
		if err != nil || n != int64(out.Len()) || whole != (size == len(all)) {
			t.Fatalf("%d bytes of %d: %d %v %v", size, len(all), n, whole, err)
		}
		if !bytes.Equal(out.Bytes(), all[:n]) {
			t.Fatalf("%d bytes: what was written is not what was read", size)
		}
		want := int64(0)
		if size >= fileHeader {
			want = fileHeader
		}
		for _, b := range r.blocks {
			if b.end() <= int64(size) {
				want = b.end()
			}
		}
		if n < want {
			t.Fatalf("%d bytes: only %d were written, whole blocks end at %d", size, n, want)
		}
	}
}

func TestCopyRefusesDamage(t *testing.T) {
	path, _ := writeSmall(t, true)
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range all {
		data := slices.Clone(all)
		data[at] ^= 4
		var out bytes.Buffer
		_, whole, err := copyAll(&out, data)
		var format *FormatError
		if whole || err != nil && !errors.As(err, &format) {
			t.Fatalf("byte %d changed: whole %v, %v", at, whole, err)
		}
		if !bytes.HasPrefix(all, out.Bytes()) {
			t.Fatalf("byte %d changed, and damage was written", at)
		}
	}
}

func FuzzCopy(f *testing.F) {
	path, _ := writeSmall(f, true)
	all, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(all)
	f.Add(all[:100])
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		n, whole, _ := copyAll(&out, data)
		pieces := Copier{Dst: io.Discard}
		if pieces.From(bytes.NewReader(data[:len(data)/2])) == nil {
			pieces.From(bytes.NewReader(data[pieces.Size():]))
			if pieces.Size() != n || pieces.Whole() != whole {
				t.Fatalf("in two pieces %d bytes, whole %v; at once %d, %v", pieces.Size(), pieces.Whole(), n, whole)
			}
		}
		if n != int64(out.Len()) || !bytes.HasPrefix(data, out.Bytes()) {
			t.Fatal("the copy differs from the original")
		}
	})
}
