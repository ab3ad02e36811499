package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// An Image is a file of machine code that a process has loaded: its program or a library.
type Image struct {
	Start   uint64 // address of the image's first byte
	Size    uint64 // size in memory, in bytes
	BuildID string // in hexadecimal: the GNU build ID of an ELF file, the UUID of a Mach-O file; empty if there is none
	Path    string
}

// Fact encodes the image as a FactImage, whose text is the size in hexadecimal, the build ID or "-", and the path.
func (i Image) Fact() Fact {
	id := i.BuildID
	if id == "" {
		id = "-"
	}
	return Fact{Kind: FactImage, Key: i.Start, Text: fmt.Sprintf("%x %s %s", i.Size, id, i.Path)}
}

// Image decodes a FactImage. It returns an error if the text does not have the form that Image.Fact gives it.
func (f Fact) Image() (i Image, err error) {
	size, rest, _ := strings.Cut(f.Text, " ")
	id, path, whole := strings.Cut(rest, " ")
	i = Image{Start: f.Key, BuildID: id, Path: path}
	if id == "-" {
		i.BuildID = ""
	}
	i.Size, err = strconv.ParseUint(size, 16, 64)
	if f.Kind != FactImage || err != nil || !whole || path == "" || i.Start+i.Size < i.Start {
		return i, fmt.Errorf("image: %q must be a size, a build ID and a path, separated by blanks", f.Text)
	}
	return i, nil
}

// Contains reports whether an address lies in the image's memory.
func (i Image) Contains(address uint64) bool { return address >= i.Start && address-i.Start < i.Size }
