package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// A testEvent is one line of go test -json: see `go doc test2json`, and `go help buildjson` for builds.
type testEvent struct {
	Action      string
	Package     string
	ImportPath  string // only for events of a build: the package, with the package under test in brackets
	Test        string // name of the test; a subtest's begins with its parents' names, joined by slashes
	Elapsed     float64
	Output      string
	FailedBuild string
}

// A testID identifies a test or, if Test is empty, a whole package.
type testID struct{ Package, Test string }

func (p testID) String() string { return strings.TrimSuffix(p.Package+" "+p.Test, " ") }

// A report has the results of a test run so far. It keeps the output of each test until the test has passed.
type report struct {
	events  int
	running map[testID]bool // tests that have begun and not ended
	parents map[testID]bool // tests with subtests: only the subtests are counted
	said    map[testID]*strings.Builder
	builds  map[string]*strings.Builder // output of the compiler, by import path
	failed  []testID                    // in the order in which they ended
	skipped []testID
	passed  int
	inside  map[testID]bool // tests and packages that contain a failed test
	// broken is set if a package was not built, its process ended during a test, or a data race was found. Then no
	// test is rerun, because none of these happens by chance
	broken bool
}

// read reads all events. When a package ends, it writes the output of the failed tests and a line about the package.
// Lines that are not events are copied, because go prints some errors as plain text.
func read(in io.Reader, out io.Writer) (*report, error) {
	r := &report{running: map[testID]bool{}, parents: map[testID]bool{}, said: map[testID]*strings.Builder{},
		builds: map[string]*strings.Builder{}, inside: map[testID]bool{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e testEvent
		if len(line) > 0 {
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				r.add(e, out)
			} else if _, err := out.Write(line); err != nil {
				return r, err
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return r, err
		}
	}
	if r.events == 0 {
		return r, errNoEvents
	}
	return r, nil
}

func (r *report) add(e testEvent, out io.Writer) {
	r.events++
	at := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		text(r.builds, e.ImportPath).WriteString(e.Output)
	case "run":
		r.running[at] = true
		for name := e.Test; strings.Contains(name, "/"); {
			name = name[:strings.LastIndexByte(name, '/')]
			r.parents[testID{e.Package, name}] = true
		}
	case "output":
		if !frame(e.Output) {
			text(r.said, at).WriteString(e.Output)
			r.broken = r.broken || strings.HasPrefix(e.Output, "WARNING: DATA RACE")
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e, out)
		} else {
			r.endTest(at, e.Action, out)
		}
	}
}

// frame reports whether a line of output is go test's own (=== RUN and the like), and not the test's.
func frame(line string) bool {
	for _, mark := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

func text[K comparable](of map[K]*strings.Builder, key K) *strings.Builder {
	if of[key] == nil {
		of[key] = &strings.Builder{}
	}
	return of[key]
}

func (r *report) endTest(at testID, action string, out io.Writer) {
	delete(r.running, at)
	switch {
	case action == "fail":
		r.fail(at, out)
	case action == "skip":
		r.skipped = append(r.skipped, at)
		return // keep its output: finish prints the reason
	case !r.parents[at]:
		r.passed++
	}
	delete(r.said, at)
}

// fail prints the output of a failed test or package and counts the failure. A test that failed only because of a
// failed subtest is not counted again.
func (r *report) fail(at testID, out io.Writer) {
	io.WriteString(out, text(r.said, at).String())
	if !r.inside[at] {
		r.failed = append(r.failed, at)
	}
	for name := at.Test; name != ""; {
		cut := max(strings.LastIndexByte(name, '/'), 0)
		name = name[:cut]
		r.inside[testID{at.Package, name}] = true
	}
}

// endPackage writes a line about the package. A test that was still running counts as failed, because the process
// ended during it.
func (r *report) endPackage(e testEvent, out io.Writer) {
	at := testID{Package: e.Package}
	if e.Action == "fail" {
		for test := range r.running {
			if test.Package == e.Package && !r.parents[test] {
				r.fail(test, out)
				r.broken = true
			}
		}
		if e.FailedBuild != "" {
			io.WriteString(out, text(r.builds, e.FailedBuild).String())
		}
		r.broken = r.broken || !r.inside[at]
		r.fail(at, out) // prints the last output of a process that crashed, and the line FAIL
	} else if e.Action == "pass" {
		cached := ""
		if strings.Contains(text(r.said, at).String(), "(cached)") {
			cached = ", not run again"
		}
		fmt.Fprintf(out, "ok    %s (%v%s)\n", e.Package, time.Duration(e.Elapsed*float64(time.Second)).Round(
			time.Millisecond), cached)
	}
	delete(r.said, at)
}

// good reports whether at least one test ran and none failed.
func (r *report) good() bool { return len(r.failed) == 0 && r.passed > 0 }

// finish writes the skipped tests with their reasons, the failed tests, and the counts.
func (r *report) finish(out io.Writer) error {
	var b strings.Builder
	if len(r.skipped) > 0 {
		b.WriteString("\nskipped:\n")
	}
	for _, at := range r.skipped {
		fmt.Fprintf(&b, "  %s: %s\n", at, reason(text(r.said, at).String()))
	}
	if len(r.failed) > 0 {
		b.WriteString("\nfailed:\n")
	}
	for _, at := range r.failed {
		fmt.Fprintf(&b, "  %s\n", at)
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d skipped\n", r.passed, len(r.failed), len(r.skipped))
	_, err := io.WriteString(out, b.String())
	return err
}

// reason returns what a skipped test printed, in one line.
func reason(said string) string {
	var words []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--- SKIP:") {
			words = append(words, line)
		}
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, " ")
}
