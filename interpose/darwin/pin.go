package darwin

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const commandBuildVersion = 0x32

// Version is a version of macOS or of its SDK as load commands store it: the major number in the upper 16 bits, then
// two numbers of 8 bits.
type Version uint32

// ParseVersion reads "13.0" or "13.0.1".
func ParseVersion(text string) (Version, error) {
	parts := strings.Split(text, ".")
	if len(parts) > 3 {
		return 0, fmt.Errorf("a version of %d numbers: %q", len(parts), text)
	}
	var numbers [3]uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return 0, fmt.Errorf("no version: %q", text)
		}
		numbers[i] = n
	}
	return Version(numbers[0]<<16 | numbers[1]<<8 | numbers[2]), nil
}

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v>>16, v>>8&0xff, v&0xff) }

// Pin returns the image with two versions changed: of the oldest system on which the image runs, and of the SDK with
// which it was built. dyld applies the rules that held when that SDK was current (its mach_o/Policy.cpp). A
// cross-linker writes the newest SDK that it knows, so without Pin a new linker would change the library's behaviour.
// The image must be signed afterwards.
func Pin(image []byte, minimum, sdk Version) ([]byte, error) {
	f, err := parseThin(image)
	if err != nil {
		return nil, err
	}
	pinned := bytes.Clone(image)
	for at := headerSize; at < f.commands; at += int(le.Uint32(image[at+4:])) {
		if le.Uint32(image[at:]) != commandBuildVersion {
			continue
		}
		if le.Uint32(image[at+4:]) < 24 {
			return nil, errors.New("the build version is cut off")
		}
		le.PutUint32(pinned[at+12:], uint32(minimum))
		le.PutUint32(pinned[at+16:], uint32(sdk))
		return pinned, nil
	}
	return nil, errors.New(
		"the library has no load command LC_BUILD_VERSION, which names its system: link it with -target")
}
