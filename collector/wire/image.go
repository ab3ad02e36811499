package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// An Image is a file of machine code that is mapped into a process: the program, or a library.
type Image struct {
	Start   uint64 // address of its first byte
	Size    uint64 // bytes of memory from there on
	BuildID string // in hexadecimal: the GNU build ID of an ELF file, the UUID of a Mach-O file; empty if there is none
	Path    string
}

// Fact returns the image as a FactImage. Its text is the size in hexadecimal, the build ID or "-", and the path.
func (i Image) Fact() Fact {
	id := i.BuildID
	if id == "" {
		id = "-"
	}
	return Fact{Kind: FactImage, Key: i.Start, Text: fmt.Sprintf("%x %s %s", i.Size, id, i.Path)}
}

// Image reads a FactImage.
func (f Fact) Image() (i Image, err error) {
	size, rest, _ := strings.Cut(f.Text, " ")
	id, path, whole := strings.Cut(rest, " ")
	i = Image{Start: f.Key, BuildID: id, Path: path}
	if id == "-" {
		i.BuildID = ""
	}
	i.Size, err = strconv.ParseUint(size, 16, 64)
	if f.Kind != FactImage || err != nil || !whole || path == "" || i.Start+i.Size < i.Start {
		return i, fmt.Errorf("image: %q is not a size, a build ID and a path", f.Text)
	}
	return i, nil
}

// Contains reports whether an address is in the image.
func (i Image) Contains(address uint64) bool { return address >= i.Start && address-i.Start < i.Size }
