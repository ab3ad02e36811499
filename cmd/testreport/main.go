// Testreport reads what go test -json writes and states what a reader wants to know of it: a line for each package, all
// that a failed test said, every test that was skipped with its reason, and how many passed, failed and were skipped.
// It exits with 1 when a test failed, or when none ran. What failed and may be run again, alone, it writes to the file
// of -failed: a package and a pattern a line.
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
	failed := flag.String("failed", os.DevNull, "file for what failed and may be run again")
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
