// Package symbols names machine code by the files that it came from.
package symbols

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"mtrace/collector/wire"
)

// A Place is what a file says of a return address.
type Place struct {
	Name    string // of the function that the call is in; empty when the file does not say
	NoCall  bool   // there is no call before the address: it is not one that a call returns to
	Unknown bool   // the address is not in the file's code
}

// ErrNoSymbols says that an image is not of a kind that is read here: names of Mach-O images come from the process itself.
var ErrNoSymbols = errors.New("not an ELF file")

// Find looks up return addresses in the file of an image. The error says why the file cannot tell.
func Find(image wire.Image, addresses []uint64) (map[uint64]Place, error) {
	// A path of a traced process is only a name: it must not be waited for, as for a pipe.
	f, err := os.OpenFile(image.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", image.Path)
	}
	sorted := slices.Sorted(slices.Values(addresses))
	return findELF(f, image, slices.Compact(sorted))
}
