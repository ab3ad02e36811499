// Command mtrace traces what a program does with Metal and says, with evidence, why it does not go faster.
package main

import "os"

func main() {
	os.Exit(dispatch(stdio{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:]))
}
