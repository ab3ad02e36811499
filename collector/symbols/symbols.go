// Package symbols looks up names and lines of machine code in the files that it was loaded from.
package symbols

import (
	"errors"
	"slices"
	"time"

	"mtrace/collector/wire"
)

// A Location is what the symbols and debug information of a file say about a return address.
type Location struct {
	Name    string // the function that contains the call; empty when the file does not have it
	File    string // source file of the call; empty without debug information
	Line    int    // line in it, from 1; 0 when not known
	NoCall  bool   // no call precedes the address, so it is not a return address
	Unknown bool   // the address is not in the file's code
}

// ErrNoSymbols is returned for files that are neither ELF nor Mach-O.
var ErrNoSymbols = errors.New("neither an ELF nor a Mach-O file")

// Find looks up return addresses in the file of a loaded image. ELF files give names and source lines, Mach-O files
// only source lines. On an error it also returns the places found so far. The deadline `until` applies to source
// lines, whose search takes longest.
func Find(image wire.Image, addresses []uint64, until time.Time) (map[uint64]Location, error) {
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
