// Universal defers the start of Go in the library, signs Mach-O files ad hoc and joins them into a universal file. A
// single input stays a file for one processor. With -minimum and -sdk it also sets the oldest system that the files run
// on and the SDK that they were built with.
//
//	universal [-minimum VERSION -sdk VERSION] IDENTIFIER OUTPUT INPUT...
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"mtrace/interpose/darwin"
)

func main() {
	minimum := flag.String("minimum", "", "the oldest macOS that the result runs on")
	sdk := flag.String("sdk", "", "the SDK that the result claims to be built with")
	flag.Parse()
	if flag.NArg() < 3 || (*minimum == "") != (*sdk == "") {
		fmt.Fprintln(os.Stderr, "usage: universal [-minimum VERSION -sdk VERSION] IDENTIFIER OUTPUT INPUT...")
		os.Exit(2)
	}
	if err := run(*minimum, *sdk, flag.Arg(0), flag.Arg(1), flag.Args()[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "universal:", err)
		os.Exit(2)
	}
}

// pin sets the versions of the oldest macOS and of the SDK in an image, if the user gave any.
func pin(image []byte, minimum, sdk string) ([]byte, error) {
	if minimum == "" {
		return image, nil
	}
	oldest, err := darwin.ParseVersion(minimum)
	if err != nil {
		return nil, err
	}
	claimed, err := darwin.ParseVersion(sdk)
	if err != nil {
		return nil, err
	}
	return darwin.Pin(image, oldest, claimed)
}

func run(minimum, sdk, identifier, output string, inputs []string) error {
	var images [][]byte
	for _, input := range inputs {
		image, err := os.ReadFile(input)
		if err != nil {
			return err
		}
		if deferred, err := darwin.DeferGo(image); err == nil {
			image = deferred
		} else if !errors.Is(err, darwin.ErrNoSlot) {
			fmt.Fprintf(os.Stderr, "universal: warning: %s is not changed, so loading it starts Go's runtime: %v\n", input, err)
		}
		if image, err = pin(image, minimum, sdk); err != nil {
			return fmt.Errorf("%s: %w", input, err)
		}
		signed, err := darwin.Sign(image, identifier)
		if err != nil {
			return fmt.Errorf("%s cannot be signed: %w", input, err)
		}
		images = append(images, signed)
	}
	joined := images[0]
	if len(images) > 1 {
		var err error
		if joined, err = darwin.Join(images...); err != nil {
			return err
		}
	}
	// Write a new file and rename it: overwriting the old file would crash a process that has it mapped.
	if err := os.WriteFile(output+".new", joined, 0o755); err != nil {
		return err
	}
	return os.Rename(output+".new", output)
}
