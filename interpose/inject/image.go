package inject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Format is the kind of a program's file.
type Format string

// Formats that Prepare tells apart.
const (
	FormatMachO   Format = "Mach-O"
	FormatELF     Format = "ELF"
	FormatScript  Format = "script"
	FormatBundle  Format = "bundle"
	FormatUnknown Format = "unknown"
)

// Image describes the file of a program or library by the properties that decide whether a library can be injected.
// For a universal Mach-O file it describes the slice (one processor's part) that the kernel will run.
type Image struct {
	Format Format `json:"format"`
	// Machine is the processor that the image is for, in the spelling of its system's tools: arm64, arm64e, x86_64
	// (Mach-O); x86_64, aarch64, i386 (ELF).
	Machine string `json:"machine,omitempty"`
	// Machines lists the processors of all slices of a universal file.
	Machines []string `json:"machines,omitempty"`
	// Dynamic is true if the image needs a dynamic linker; only a dynamic linker loads a preloaded library.
	Dynamic bool `json:"dynamic,omitempty"`
	// Library is true for a shared library.
	Library bool `json:"library,omitempty"`
	// Interpreter is the path of the dynamic linker that an ELF image names.
	Interpreter string `json:"interpreter,omitempty"`
	// Needed lists the libraries the image links.
	Needed []string `json:"-"`
	// ownSanitizerOptions is true if the image uses AddressSanitizer's runtime as a library and defines default
	// options for it. Then the options that the tracing library defines have no effect.
	ownSanitizerOptions bool
	// Go is true if the image contains Go's build information, that is, if it is a Go program.
	Go bool `json:"go,omitempty"`
	// RestrictSegment is true if the image has a segment __RESTRICT, which makes dyld ignore DYLD_INSERT_LIBRARIES.
	RestrictSegment bool `json:"restrict_segment,omitempty"`
	// Platform is the Mach-O platform number: 1 for macOS, 0 if the image names none.
	Platform uint32 `json:"platform,omitempty"`
	// Signature is the embedded code signature; nil if there is none.
	Signature *Signature `json:"signature,omitempty"`
	// problem says why the file could not be understood; its Code is empty if it could.
	problem Finding
}

// errDamaged is wrapped by every error about a file that has a Mach-O or ELF header but is inconsistent.
var errDamaged = errors.New("the file is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// readImage describes the file at path. If it is a universal file, readImage describes one slice (one processor's
// part): the slice named machine or, if machine is empty, the slice that host's kernel would run.
func readImage(path string, host Host, machine string) (Image, error) {
	file, err := os.Open(path)
	if err != nil {
		return Image{Format: FormatUnknown}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Image{Format: FormatUnknown}, err
	}
	if !info.Mode().IsRegular() {
		return Image{Format: FormatUnknown}, fmt.Errorf("%s is not a regular file", path)
	}
	return parseImage(file, info.Size(), host, machine)
}

// parseImage describes size bytes of r.
func parseImage(r io.ReaderAt, size int64, host Host, machine string) (Image, error) {
	var magic [4]byte
	if n, err := r.ReadAt(magic[:], 0); n < len(magic) {
		if err != nil && !errors.Is(err, io.EOF) {
			return Image{Format: FormatUnknown}, err
		}
		if bytes.HasPrefix(magic[:n], []byte("#!")) {
			return Image{Format: FormatScript}, nil
		}
		return Image{Format: FormatUnknown}, nil
	}
	switch {
	case bytes.HasPrefix(magic[:], []byte("#!")):
		return Image{Format: FormatScript}, nil
	case bytes.Equal(magic[:], []byte("\x7fELF")):
		return parseELF(r)
	case isMachOMagic(magic):
		return parseMachO(r, size, host, machine)
	}
	return Image{Format: FormatUnknown}, nil
}

// readBounded returns length bytes of r at offset. It returns an error if that range lies beyond the file's size, or
// is longer than limit: a damaged file must not make mtrace allocate without bound. `what` names the range in the
// error.
func readBounded(r io.ReaderAt, size, offset, length, limit int64, what string) ([]byte, error) {
	switch {
	case length > limit:
		return nil, damaged("%s of %d bytes is larger than the %d bytes that mtrace accepts", what, length, limit)
	case offset < 0, length < 0, offset > size, length > size-offset:
		return nil, damaged("%s at offset %d, %d bytes long, extends beyond the end of the file", what, offset, length)
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, offset); err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return data, nil
}
