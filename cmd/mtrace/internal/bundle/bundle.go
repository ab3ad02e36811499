// Package bundle creates a single file for users to send from a machine that the developers do not have: all results of
// the doctor, two traced programs, and a check for every expected value. Differences come first.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mtrace/cmd/mtrace/internal/doctor"
)

// Schema is the "schema" of checks.json, the list of all checks in the archive.
const Schema = "mtrace.bundle/1"

// Evidence collects everything that goes into the archive of `mtrace doctor --bundle`. Write compares it with the
// expected values.
type Evidence struct {
	OS      string
	Doctor  doctor.Report
	Runs    []Run
	Crashes []string // names of the crash reports that appeared meanwhile
	files   map[string][]byte
}

// Check compares an expected value with the one found on this machine.
type Check struct {
	// ID names the area and the check, such as "python/calls".
	ID       string `json:"id"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
	Differs  bool   `json:"differs"`
}

// Document is the content of checks.json.
type Document struct {
	Schema  string  `json:"schema"`
	OS      string  `json:"os"`
	Differ  int     `json:"differ"`
	Checks  []Check `json:"checks"`
	Comment string  `json:"comment"`
}

// add puts a file into the archive.
func (e *Evidence) add(name string, content []byte) {
	if e.files == nil {
		e.files = map[string][]byte{}
	}
	e.files[name] = content
}

// addJSON puts value into the archive as a JSON file. If it cannot be encoded, the file has the error message.
func (e *Evidence) addJSON(name string, value any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		b.WriteString(err.Error())
	}
	e.add(name, b.Bytes())
}

// Write compares the evidence with the expected values and writes the archive, a gzipped tar of text files. It
// replaces user names, host names, paths and values of environment variables, so that users can send it to strangers.
// It returns all checks; those that differ come first.
func (e *Evidence) Write(w io.Writer, private doctor.Private, made time.Time) ([]Check, error) {
	checks := compare(e)
	slices.SortStableFunc(checks, func(a, b Check) int {
		switch {
		case a.Differs == b.Differs:
			return 0
		case a.Differs:
			return -1
		}
		return 1
	})
	for i := range checks {
		checks[i].Found = private.SharedText(checks[i].Found)
	}
	differ := Differing(checks)
	e.addJSON("checks.json", Document{Schema, e.OS, differ, checks,
		"checks that differ come first; differs.txt lists the same checks as text"})
	e.add("differs.txt", []byte(Text(checks)))
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	names := make([]string, 0, len(e.files))
	for name := range e.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		content := []byte(private.SharedText(string(e.files[name])))
		header := &tar.Header{Name: "mtrace-bundle/" + name, Mode: 0o644, Size: int64(len(content)), ModTime: made,
			Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return checks, compressed.Close()
}

// Differing returns how many checks did not find the expected value.
func Differing(checks []Check) (n int) {
	for _, c := range checks {
		if c.Differs {
			n++
		}
	}
	return n
}

// Text returns the checks as text. checks must be sorted with those that differ first, or the heading "as expected"
// is in the wrong place.
func Text(checks []Check) string {
	var b strings.Builder
	differ := Differing(checks)
	fmt.Fprintf(&b, "%d of %d checks differ\n", differ, len(checks))
	for i, c := range checks {
		if i == differ {
			b.WriteString("\nas expected:\n")
		}
		fmt.Fprintf(&b, "  %s: expected %s; found %s\n", c.ID, c.Expected, c.Found)
	}
	return b.String()
}

// AddDoctor adds the results of mtrace doctor to the archive, as JSON and as text.
func (e *Evidence) AddDoctor() error {
	e.addJSON("doctor.json", e.Doctor)
	var text bytes.Buffer
	if err := e.Doctor.WriteText(&text, true, false); err != nil {
		return err
	}
	e.add("doctor.txt", text.Bytes())
	return nil
}
