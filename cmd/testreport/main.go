// Testreport reads what go test -json writes and says what a reader wants to know of it: a line for each package, all that a failed test
// said, every test that was skipped with its reason, and how many passed, failed and were skipped. It exits with 1 when a test failed,
// or when none ran.
//
//	go test -json ./... | testreport
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	report, err := read(os.Stdin, os.Stdout)
	if err == nil {
		err = report.finish(os.Stdout)
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
