// Universal puts off the start of Go in the library, signs Mach-O files ad hoc
// and joins them into a universal file; of one file it makes no universal one.
//
//	universal IDENTIFIER OUTPUT INPUT...
package main

import (
	"errors"
	"fmt"
	"os"

	"mtrace/interpose/darwin"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: universal IDENTIFIER OUTPUT INPUT...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "universal:", err)
		os.Exit(2)
	}
}

func run(identifier, output string, inputs []string) error {
	var images [][]byte
	for _, input := range inputs {
		image, err := os.ReadFile(input)
		if err != nil {
			return err
		}
		if deferred, err := darwin.DeferGo(image); err == nil {
			image = deferred
		} else if !errors.Is(err, darwin.ErrNoSlot) {
			fmt.Fprintf(os.Stderr, "universal: %s will start Go when it is loaded: %v\n", input, err)
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
	// Written beside and moved: a process may have the old file mapped.
	if err := os.WriteFile(output+".new", joined, 0o755); err != nil {
		return err
	}
	return os.Rename(output+".new", output)
}
