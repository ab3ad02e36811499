// Package symbols names machine code by the files that it came from.
package symbols

import (
	"errors"
	"slices"
	"time"

	"mtrace/collector/wire"
)

// A Place is what a file says of a return address.
type Place struct {
	Name    string // of the function that the call is in; empty when the file does not say
	File    string // source file of the call; empty when the file has no debug information about it
	Line    int    // in it, from 1; 0 when not known
	NoCall  bool   // there is no call before the address: it is not one that a call returns to
	Unknown bool   // the address is not in the file's code
}

// ErrNoSymbols says that an image is not of a kind that is read here.
var ErrNoSymbols = errors.New("neither an ELF nor a Mach-O file")

// Find looks up return addresses in the file of an image: ELF, or Mach-O, of which it only reads debug information. The
// error states what the file cannot tell, and why; what it can tell is there with it. Source lines are looked up
// until a time.
func Find(image wire.Image, addresses []uint64, until time.Time) (map[uint64]Place, error) {
	f, err := openRegular(image.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := f.ReadAt(magic, 0); err != nil {
		return nil, ErrNoSymbols
	}
	sorted := slices.Sorted(slices.Values(addresses))
	sorted = slices.Compact(sorted)
	if isMachO(magic) {
		return findMachO(f, image, sorted, until)
	}
	return findELF(f, image, sorted, until)
}
