// Universal signs Mach-O files ad hoc and joins them into a universal file,
// which on a Mac codesign and lipo do:
//
//	universal IDENTIFIER OUTPUT INPUT...
package main

import (
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
		signed, err := darwin.Sign(image, identifier)
		if err != nil {
			return fmt.Errorf("%s cannot be signed: %w", input, err)
		}
		images = append(images, signed)
	}
	joined, err := darwin.Join(images...)
	if err != nil {
		return err
	}
	return os.WriteFile(output, joined, 0o755)
}
