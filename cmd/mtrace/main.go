// Command mtrace traces what a program does with Metal and says, with evidence, why it does not go faster.
package main

import "os"

// release is a release's version, which its build sets: -ldflags="-X main.release=v1.2.3".
var release string

func main() {
	toolRelease = release
	os.Exit(dispatch(stdio{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}
