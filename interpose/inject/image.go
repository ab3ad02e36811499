package inject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Format is the kind of file a program is.
type Format string

// Formats that Prepare tells apart.
const (
	FormatMachO   Format = "Mach-O"
	FormatELF     Format = "ELF"
	FormatScript  Format = "script"
	FormatBundle  Format = "bundle"
	FormatUnknown Format = "unknown"
)

// Image describes a program file or a library by the properties that decide about injection. For a universal Mach-O
// file it describes the slice that the kernel will run.
type Image struct {
	Format Format `json:"format"`
	// Machine is the processor the image is for, in the spelling of its own
	// tools: arm64, arm64e, x86_64 (Mach-O); x86_64, aarch64, i386 (ELF).
	Machine string `json:"machine,omitempty"`
	// Machines lists every slice of a universal file.
	Machines []string `json:"machines,omitempty"`
	// Dynamic is true when the image asks for a dynamic linker.
	Dynamic bool `json:"dynamic,omitempty"`
	// Library is true for a shared library.
	Library bool `json:"library,omitempty"`
	// Interpreter is the dynamic linker an ELF image names.
	Interpreter string `json:"interpreter,omitempty"`
	// Needed lists the libraries the image links.
	Needed []string `json:"-"`
	// ownSanitizerOptions is true when the image has AddressSanitizer's runtime as a library, and default options for it.
	ownSanitizerOptions bool
	// Go is true when the image carries Go's build information.
	Go bool `json:"go,omitempty"`
	// RestrictSegment is true when the image has a __RESTRICT segment.
	RestrictSegment bool `json:"restrict_segment,omitempty"`
	// Platform is the Mach-O platform number, 1 for macOS, 0 if the image has none.
	Platform uint32 `json:"platform,omitempty"`
	// Signature is the embedded code signature; nil when there is none.
	Signature *Signature `json:"signature,omitempty"`
	// problem is the reason why the file could not be understood; its code is empty if it was.
	problem Finding
}

// errDamaged is wrapped by every error about a file that has a Mach-O or ELF header and is not consistent.
var errDamaged = errors.New("the file is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// readImage describes the file at path; host chooses the slice of a universal
// file, machine forces one when not empty.
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

// readBounded reads length bytes at offset. It refuses a range that is not in the file, or longer than limit.
func readBounded(r io.ReaderAt, size, offset, length, limit int64, what string) ([]byte, error) {
	switch {
	case length > limit:
		return nil, damaged("%s of %d bytes is larger than %d", what, length, limit)
	case offset < 0, length < 0, offset > size, length > size-offset:
		return nil, damaged("%s at %d, %d bytes long, lies beyond the end", what, offset, length)
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, offset); err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return data, nil
}
