// Command mtrace traces a program's use of Metal and explains, with evidence, why the program does not run faster.
package main

import (
	"os"

	"mtrace/cmd/mtrace/internal/cli"
)

// release is the version of a release build, set with -ldflags="-X main.release=v1.2.3"; empty in other builds.
var release string

func main() {
	cli.ToolRelease = release
	stop, err := profileCPU()
	if err != nil {
		cli.PrintLine(os.Stderr, "mtrace: MTRACE_CPUPROFILE: %v", err)
		os.Exit(cli.ExitUsage)
	}
	code := dispatch(cli.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}
