// Testreport reads the output of go test -json and prints a summary: a line for each package, the output of failed
// tests, skipped tests by reason, and the number of passed, failed and skipped tests. It exits with 1 if a test failed,
// or if none ran. Failed tests that may be rerun alone are written to the file of -failed: a package and a pattern per
// line.
//
//	go test -json ./... | testreport -failed FILE
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	failed := flag.String("failed", os.DevNull, "write the failed tests that may be run again to this `FILE`")
	flag.Parse()
	report, err := read(os.Stdin, os.Stdout)
	if err == nil {
		err = errors.Join(report.finish(os.Stdout), os.WriteFile(*failed, []byte(report.again()), 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
	if !report.good() {
		os.Exit(1)
	}
}

var errNoEvents = errors.New("no test event on standard input: pipe go test -json into it")
